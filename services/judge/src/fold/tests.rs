use super::*;

fn folded(text: &str) -> Folded {
    let mut folded = Folded::default();
    fold(text, &mut folded);
    folded
}

fn symbols(text: &str) -> String {
    folded(text).symbols().iter().map(|symbol| symbol.char).collect()
}

#[test]
fn texts_that_look_alike_have_the_same_symbols() {
    for (text, expected) in [
        ("BadWord", "badword"),
        ("ｂａｄｗｏｒｄ", "badword"),
        ("ⓑⓐⓓⓦⓞⓡⓓ", "badword"),
        ("𝐛𝐚𝐝𝐰𝐨𝐫𝐝", "badword"),
        ("bаdwоrd", "badword"),
        ("b̷a̷d̷w̷o̷r̷d̷", "badword"),
        ("bad\u{200b}w\u{200d}o\u{ad}r\u{fe0f}d\u{e0000}", "badword"),
        ("\u{202e}drowdab\u{202c}", "drowdab"),
        ("🅱🅰🅳word", "badword"),
        ("b.a-d_w*o.r d", "badword"),
        ("bad🙂word", "badword"),
        ("👨‍👩‍👧badword!", "badword"),
        ("這是壞詞語吧", "这是坏词语吧"),
        ("坏̷词̷语̷", "坏词语"),
        ("後爲", "后为"),
        ("café naïve Zürich", "cafenaivezurich"),
        ("ΣΑΣ ς", "oaoo"),
        ("Straße ẞ", "strassess"),
        ("İı", "ii"),
        ("ﬁﷺ", "fiصلىاللهعليهوسلم"),
        ("㍿½", "株式会社12"),
        ("①２Ⅲ⒈㈠⑸❼⓿٣", "12iii1一5703"),
        ("ﾊﾟﾝﾀﾞ", "パンダ"),
        ("か\u{3099}", "が"),
        ("각", "각"),
        ("1️⃣", "1"),
        ("badword™", "badword"),
        ("🇵🇸🇵🇸🇵🇸", ""),
        ("", ""),
        ("\u{2d1}", "\u{2d1}"),
        ("\0\r\n\u{fffd}", ""),
    ] {
        assert_eq!(symbols(text), expected, "{text:?}");
    }
}
