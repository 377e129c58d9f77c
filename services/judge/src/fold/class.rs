//! What a symbol is, where more than its shape counts: for the borders of words, and as a digit.

/// What a symbol is, for the borders of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A letter of a script whose words stand apart: Latin, Greek, Cyrillic.
    Letter,
    /// 0 to 9.
    Digit,
    /// All others, first of all Han.
    Other,
}

/// What a symbol is, for the borders of words.
pub(crate) fn class(symbol: char) -> Class {
    match symbol {
        '0'..='9' => Class::Digit,
        'a'..='z'
        | '\u{c0}'..='\u{24f}'
        | '\u{250}'..='\u{2af}'
        | '\u{370}'..='\u{52f}'
        | '\u{1c80}'..='\u{1c8f}'
        | '\u{1d00}'..='\u{1dbf}'
        | '\u{1e00}'..='\u{1fff}'
        | '\u{2c60}'..='\u{2c7f}'
        | '\u{2de0}'..='\u{2dff}'
        | '\u{a640}'..='\u{a69f}'
        | '\u{a722}'..='\u{a7ff}'
        | '\u{ab30}'..='\u{ab6f}' => Class::Letter,
        _ => Class::Other,
    }
}

/// The digit that a Han numeral stands for, in its plain and its bank form.
pub(crate) fn numeral(symbol: char) -> Option<char> {
    Some(match symbol {
        '零' | '〇' => '0',
        '一' | '壹' | '弌' | '幺' => '1',
        '二' | '贰' | '弍' | '两' => '2',
        '三' | '叁' | '弎' => '3',
        '四' | '肆' => '4',
        '五' | '伍' => '5',
        '六' | '陆' => '6',
        '七' | '柒' => '7',
        '八' | '捌' => '8',
        '九' | '玖' => '9',
        _ => return None,
    })
}
