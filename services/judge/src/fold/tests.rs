//! Texts and the symbols they fold to.

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
        ("ﬁﷻﷺ", "fiجلجلالهﷺ"),
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

#[test]
fn places_are_clusters_of_the_original() {
    let text = "e\u{301}ﬁ 👨‍👩‍👧b\u{200b}b\u{fe0f}c";
    let folded = folded(text);
    let places: Vec<_> =
        folded.symbols().iter().map(|symbol| (symbol.char, symbol.cluster, symbol.gap, symbol.spaced)).collect();
    let expected = [
        ('e', 0, 0, false),
        ('f', 1, 0, false),
        ('i', 1, 0, false),
        ('b', 4, 2, true),
        ('b', 6, 0, false),
        ('c', 7, 0, false),
    ];
    assert_eq!(places, expected);
    let signs: Vec<_> = folded.signs().iter().map(|sign| (sign.cluster, sign.class)).collect();
    assert_eq!(signs, [(2, SignClass::Space), (3, SignClass::Emoji)]);
    assert_eq!(folded.clusters(), 8);
    assert_eq!(&text[folded.bytes(1, 4)], "ﬁ 👨‍👩‍👧");
    assert!(folded.is_unseen(5) && !folded.is_unseen(3) && !folded.is_unseen(4));
}

#[test]
fn what_says_the_same_has_one_key() {
    let key = |text: &str| folded(text).key().into_owned();
    for same in [
        &[
            "blorp",
            "BLORP",
            "blorp\u{200b}",
            "blorp\u{e0000}",
            "b l o r p",
            "blooorp",
            "blorp!!!",
            "ｂｌｏｒｐ\u{2060}",
        ][..],
        &["哈哈", "哈哈哈哈哈", "哈 哈", "哈🙂"],
        &["？？？", "?", "？\u{200b}"],
        &["😀😀", "😀", "😀 \u{fe0f}😀"],
    ] {
        assert!(same.iter().all(|text| key(text) == key(same[0])), "{same:?}");
    }
    assert_ne!(key("？"), key("！"));
    assert_ne!(key("😀"), key("😁"));
    assert_eq!(key(" \u{200b}"), "");
}

#[test]
fn a_buffer_keeps_nothing() {
    let mut buffer = folded("坏词 b*d 1");
    fold("a", &mut buffer);
    assert_eq!(buffer.symbols(), folded("a").symbols());
    assert_eq!((buffer.signs(), buffer.clusters(), buffer.seen()), (&[][..], 1, folded("a").seen()));
}

/// What usual clusters come to is looked up; the long way must come to the same.
#[test]
fn the_short_way_ends_where_the_long_way_does() {
    let bases = [
        "a", "é", "б", "坏", "壞", "か", "ハ", "ﾊ", "ﬁ", "㍿", "1", "가", "ᄀ", "क", "ก", "ب", "!", "🙂", "🅰", "㊗",
        "™", "🇵", "丽", "\u{600}",
    ];
    let marks = [
        "\u{301}",
        "\u{337}",
        "\u{3099}",
        "\u{309a}",
        "\u{ff9e}",
        "\u{fe0f}",
        "\u{200d}",
        "\u{20e3}",
        "\u{e0100}",
        "\u{93f}",
        "\u{94d}",
        "\u{5b0}",
        "\u{e33}",
        "\u{1161}",
        "\u{11a8}",
        "\u{1f3fd}",
        "\u{200d}🙂",
        "🇸",
        "\u{e007f}",
        "坏",
    ];
    for base in bases {
        for one in marks {
            for two in marks {
                let text = format!("{base}{one}{two}");
                let mut long = Vec::new();
                let mut expanded = Vec::new();
                for cluster in text.graphemes(true) {
                    expand::expand(cluster, &mut expanded);
                    long.extend_from_slice(&expanded);
                }
                assert_eq!(symbols(&text), long.iter().collect::<String>(), "{text:?}");
            }
        }
    }
}
