//! One form for texts that look alike: NFKC and lower case. Words of the rule book and messages go through the same function.
//!
//! Only what is compared is normalized; what is shown is the message as it was sent.

use unicode_normalization::UnicodeNormalization as _;

/// The form in which texts are compared.
///
/// Lower case is taken letter by letter, without the context that a final sigma has, so that a word has one form wherever it
/// stands; and the result is composed again, because lower case can decompose (İ becomes i and a dot above).
pub fn normalize(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkc().flat_map(char::to_lowercase).nfkc().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_that_look_alike_have_one_form() {
        for (text, form) in [
            ("Hello", "hello"),
            ("ＨｅＬＬＯ", "hello"),
            ("ⓗⓔⓛⓛⓞ", "hello"),
            ("𝐇𝐞𝐥𝐥𝐨", "hello"),
            ("①２Ⅲ", "12iii"),
            ("ﬁn", "fin"),
            ("e\u{301}", "é"),
            ("É", "é"),
            ("ΣΑΣ", "σασ"),
            ("ﾊﾟﾝﾀﾞ", "パンダ"),
            ("弹幕", "弹幕"),
            ("", ""),
        ] {
            assert_eq!(normalize(text), form, "{text}");
        }
    }

    proptest! {
        #[test]
        fn normalizing_twice_changes_nothing(text in "\\PC{0,40}") {
            let once = normalize(&text);
            prop_assert_eq!(normalize(&once), once);
        }
    }
}
