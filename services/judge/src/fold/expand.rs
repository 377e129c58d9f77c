//! One cluster as its symbols, step by step. It is slow and exact; what single characters come to is looked up in the table.

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

use super::shapes::shape;

/// A cluster of more characters is read no further. The door lets none over 64 bytes in.
const CHARS_MAX: usize = 64;

/// A ligature of fifteen letters, twice as many as any other: it stays what it is, so that a text never grows that much.
const LONG: char = '\u{fdfa}';

/// Writes the symbols of `cluster`, which may be none.
pub(super) fn expand(cluster: &str, symbols: &mut Vec<char>) {
    symbols.clear();
    if cluster.starts_with(LONG) {
        return symbols.push(LONG);
    }
    symbols.extend(
        cluster
            .chars()
            .take(CHARS_MAX)
            .filter(|&char| !is_unseen(char) && !is_sign_of_letters(char))
            .nfkd()
            .filter(|&char| !is_unseen(char) && !is_general_mark(char))
            .flat_map(lower)
            .nfc()
            .filter(|char| char.is_alphanumeric())
            .flat_map(|char| several(char).chars().chain(several(char).is_empty().then_some(char)))
            .map(shape),
    );
}

/// The forms that a cluster passes through, step by step, each with what made it. The last step is what [`expand`] writes.
pub(super) fn steps(cluster: &str) -> [(&'static str, String); 6] {
    if cluster.starts_with(LONG) {
        return [(); 6].map(|()| ("marks taken off", LONG.to_string()));
    }
    let seen: String = cluster.chars().take(CHARS_MAX).filter(|&char| !is_unseen(char)).collect();
    let compatible: String =
        seen.chars().filter(|&char| !is_sign_of_letters(char)).nfkc().filter(|&char| !is_unseen(char)).collect();
    let bare: String = compatible.nfkd().filter(|&char| !is_general_mark(char)).nfc().collect();
    let low: String = bare.nfkd().flat_map(lower).nfc().collect();
    let symbols = low.chars().filter(|char| char.is_alphanumeric());
    let letters: String =
        symbols.flat_map(|char| several(char).chars().chain(several(char).is_empty().then_some(char))).collect();
    let plain: String = letters.chars().map(shape).collect();
    [
        ("unseen characters dropped", seen),
        ("compatible form (NFKC)", compatible),
        ("marks taken off", bare),
        ("lower case", low),
        ("signs dropped, letters that are two", letters),
        ("look-alike, traditional character or digit", plain),
    ]
}

/// What nobody sees: Default_Ignorable_Code_Point, and controls and format characters that are no white space.
pub(super) fn is_unseen(char: char) -> bool {
    matches!(char,
        '\0'..='\u{8}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{ad}' | '\u{34f}'
        | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
        | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// The marks of kana, which make another character of the one before.
pub(super) fn composes(char: char) -> bool {
    matches!(char, '\u{3099}' | '\u{309a}' | '\u{ff9e}' | '\u{ff9f}')
}

/// Signs that NFKC makes letters of: behind a word they are no part of it.
fn is_sign_of_letters(char: char) -> bool {
    matches!(char, '™' | '℠')
}

/// Marks that go onto a letter of any script, as those over Latin ones; all but the two of kana.
fn is_general_mark(char: char) -> bool {
    matches!(char,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{302a}'..='\u{302f}' | '\u{fe20}'..='\u{fe2f}')
        || (is_combining_mark(char) && !char.is_alphanumeric() && !composes(char))
}

/// Lower case letter by letter, so that a word has one form wherever it stands: a final sigma is a sigma.
fn lower(char: char) -> impl Iterator<Item = char> {
    char.to_lowercase().map(|char| if char == 'ς' { 'σ' } else { char })
}

/// Letters that are two.
fn several(char: char) -> &'static str {
    match char {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        _ => "",
    }
}
