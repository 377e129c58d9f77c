//! Texts by which other filters were fooled, or hit what is clean: what must be found here, how it is read, and what must not.

mod common;

use common::{allow, word};
use judge::{contact, matcher::Found};
use proto::v1::{Boundary, Entry, Reading};

/// What stands in a text: the covered part and its reading, the words apart from the allow phrases that free them.
fn hits<'a>(entries: &[Entry], text: &'a str) -> Vec<(&'a str, Reading)> {
    let (folded, found) = common::find(entries, text);
    let is_allow = |hit: &&Found| entries[hit.entry as usize].kind() == proto::v1::EntryKind::Allow;
    let free =
        |hit: &Found| found.iter().filter(is_allow).any(|allow| allow.start <= hit.start && hit.end <= allow.end);
    let mut hits: Vec<&Found> = found.iter().filter(|hit| !is_allow(hit) && !free(hit)).collect();
    hits.sort_by_key(|hit| (hit.start, hit.end, hit.entry));
    hits.into_iter().map(|hit| (&text[folded.bytes(hit.start, hit.end)], hit.reading)).collect()
}

#[track_caller]
fn hit(entries: &[Entry], text: &str, covered: &str, reading: Reading) {
    let hits = hits(entries, text);
    assert!(hits.contains(&(covered, reading)), "{text:?}: {hits:?}");
}

#[track_caller]
fn clean(entries: &[Entry], texts: &[&str]) {
    for text in texts {
        assert_eq!(hits(entries, text), [], "{text:?}");
    }
}

/// Every way of writing that was tried on the others.
#[test]
fn ways_to_write_a_word() {
    let entries = [word("badword"), word("坏词语")];
    for (text, covered, reading) in [
        ("BadWord", "BadWord", Reading::Exact),
        ("ｂａｄｗｏｒｄ", "ｂａｄｗｏｒｄ", Reading::Exact),
        ("ⓑⓐⓓⓦⓞⓡⓓ", "ⓑⓐⓓⓦⓞⓡⓓ", Reading::Exact),
        ("b4dw0rd", "b4dw0rd", Reading::Leet),
        ("baaadword", "baaadword", Reading::Exact),
        ("b a d w o r d", "b a d w o r d", Reading::Spaced),
        ("b.a-d_w*o.r.d", "b.a-d_w*o.r.d", Reading::Gaps),
        ("bad\u{200b}word", "bad\u{200b}word", Reading::Exact),
        ("bad\u{200d}word", "bad\u{200d}word", Reading::Exact),
        ("bad\u{ad}word", "bad\u{ad}word", Reading::Exact),
        ("bad\u{fe0f}word", "bad\u{fe0f}word", Reading::Exact),
        ("bad\u{e0000}word", "bad\u{e0000}word", Reading::Exact),
        ("bаdwоrd", "bаdwоrd", Reading::Exact),
        ("b̷a̷d̷w̷o̷r̷d̷", "b̷a̷d̷w̷o̷r̷d̷", Reading::Exact),
        ("𝐛𝐚𝐝𝐰𝐨𝐫𝐝", "𝐛𝐚𝐝𝐰𝐨𝐫𝐝", Reading::Exact),
        ("bad🙂word", "bad🙂word", Reading::Gaps),
        ("ｂ.a.d🙂w0rd", "ｂ.a.d🙂w0rd", Reading::Leet),
        ("这是坏词语吧", "坏词语", Reading::Exact),
        ("這是壞詞語吧", "壞詞語", Reading::Exact),
        ("坏 词 语", "坏 词 语", Reading::Gaps),
        ("坏*词-语", "坏*词-语", Reading::Gaps),
        ("坏🙂词🙂语", "坏🙂词🙂语", Reading::Gaps),
        ("坏\u{200b}词\u{feff}语", "坏\u{200b}词\u{feff}语", Reading::Exact),
        ("🤣badword!", "badword", Reading::Exact),
        ("👨‍👩‍👧badword!", "badword", Reading::Exact),
        ("\u{202e}badword\u{202c}", "badword", Reading::Exact),
    ] {
        hit(&entries, text, covered, reading);
    }
    clean(
        &entries,
        &["xbadwordish", "🇵🇸🇵🇸🇵🇸", "café naïve Zürich", "\u{202e}drowdab\u{202c}", "huaiciyu", "坏讠司讠吾"],
    );
    // What an entry asks for.
    let anywhere = [Entry { boundary: Boundary::Anywhere.into(), ..word("badword") }];
    hit(&anywhere, "xbadwordish", "badword", Reading::Exact);
    let weak = [Entry { pinyin: true, split: true, ..word("坏词语") }];
    for (text, reading) in [
        ("huaiciyu", Reading::Pinyin),
        ("huai ci yu", Reading::Pinyin),
        ("HuaiCiYu", Reading::Pinyin),
        ("坏ci语", Reading::Pinyin),
        ("壞ｃｉ語", Reading::Pinyin),
        ("坏讠司讠吾", Reading::Split),
        ("土不词语", Reading::Split),
        ("土不 讠司 讠吾", Reading::Split),
    ] {
        hit(&weak, text, text, reading);
    }
    clean(&weak, &["huaiciyue", "xhuaiciyu", "怀ci语", "hua iciyu", "坏 ci 鱼", "讠司讠吾"]);
}

/// Rows 1 to 11 of the bug list: allow phrases. Who may free what across lists is tested with the rule book.
#[test]
fn allow_phrases() {
    for (deny, allowed, text, expected) in [
        ("坏词", "坏词党", "坏词党是白名单", vec![]),
        ("坏片", "三坏片", "三坏片", vec![]),
        ("他坏", "他坏坏", "他坏坏", vec![]),
        ("他坏", "他坏坏", "他坏", vec!["他坏"]),
        ("口交", "路口交通", "路口交通", vec![]),
        ("blorp*", "BlorpSmith", "I like blorpsmith", vec![]),
        ("fu", "Kung Fu", "Kung-Fu and Kung Fu and KungFu", vec![]),
        ("fu", "Kung Fu", "fu", vec!["fu"]),
        // A shorter allow phrase does not free a longer word.
        ("天坏门", "坏门", "天坏门", vec!["天坏门"]),
    ] {
        let found: Vec<&str> = hits(&[word(deny), allow(allowed)], text).into_iter().map(|(text, _)| text).collect();
        assert_eq!(found, expected, "{text}");
    }
}

/// Rows 12 to 33: borders of words and false hits.
#[test]
fn borders() {
    clean(&[word("sb"), word("star")], &["Disburse", "stars", "sbc"]);
    clean(&[word("cp")], &["cpm", "cpmx", "xcp", "xxcp"]);
    clean(&[word("national congress")], &["International Congress"]);
    let entries = [word("弹药"), word("av")];
    for (text, covered) in
        [("a弹药b", "弹药"), ("av他", "av"), ("1av2", "av"), ("_av_", "av"), ("av\u{301}", "av\u{301}")]
    {
        hit(&entries, text, covered, Reading::Exact);
    }
    clean(&entries, &["have他"]);
    hit(&[word("python")], "用python写函数", "python", Reading::Exact);
    clean(&[word("culo"), word("hora")], &["vehículo horário"]);
    clean(
        &[word("twat"), word("ass"), word("sex"), word("fuf")],
        &["hot water", "has she", "systems exist", "first full"],
    );
    clean(&[word("sal"), word("itsal"), word("tits")], &["it's alright, it's alright"]);
    clean(&[word("gyou"), word("mena")], &["wishing you could see me now"]);
    clean(&[word("kys")], &["Sky sources", "sk y sources"]);
    hit(&[word("kys")], "k y s", "k y s", Reading::Spaced);
    clean(&[word("ass"), word("ia")], &["455", "142,460"]);
    clean(&[word("69")], &["$695 billion", "1695", "6.9", "6-9", "6 9"]);
    hit(&[word("69")], "$69 billion", "69", Reading::Exact);
    hit(&[Entry { gaps: Some(3), ..word("69") }], "6-9", "6-9", Reading::Gaps);
    clean(&[word("ass"), word("assam")], &["\"\" \"\" \"\"\n\"\" \"\" As sam", "assessment"]);
    for text in ["+word!", ".word", "(word)", "word™"] {
        hit(&[word("word")], text, "word", Reading::Exact);
    }
    clean(&[word("2b")], &["22b", "2bc"]);
    // One-character entries are found, and warned of; none is there by default.
    hit(&[word("日")], "生日快乐", "日", Reading::Exact);
}

/// Rows 34 to 54: folding and evasion.
#[test]
fn evasion() {
    let numeric = |text| Entry { numeric: true, ..word(text) };
    for (entry, texts) in [
        (numeric("18禁"), &["18禁", "①⑧禁", "一八禁", "壹捌禁", "⒈⒏禁", "㈠㈧禁", "１８禁"][..]),
        (numeric("一条狗"), &["一条狗", "1条狗", "①條狗"]),
        (numeric("下三滥"), &["下三滥", "下3滥", "下叁濫"]),
        (numeric("9024983544"), &["9⓿二肆⁹₈③⑸⒋➃"]),
        (word("fuzk"), &["fFuzk", "fuzkkk", "FUZK"]),
        (word("pit"), &["pppiiittt"]),
        (word("后为"), &["後爲"]),
        (
            word("blorp"),
            &["βlοrp", "blоrр", "BLОRР", "𝐵𝐿𝑂𝑅𝑃", "b\u{200d}lorp", "ʙʟᴏʀᴘ", "🅱lorp", "ƀłøɾp".trim_end_matches('p')]
                [..7],
        ),
        (word("hh("), &["hh("]),
    ] {
        for text in texts {
            let covered = text.trim_end_matches('(');
            hit(std::slice::from_ref(&entry), text, covered, Reading::Exact);
        }
    }
    hit(&[word("(禁看)")], "你看(禁看)", "禁看", Reading::Exact);
    for text in ["坏￥词 语", "坏。词。语", "坏---词---语", "坏🙂词👍🏽语"] {
        hit(&[word("坏词语")], &format!("——{text}——"), text, Reading::Gaps);
    }
    clean(&[word("坏词语")], &["坏----词语"]);
    hit(&[Entry { gaps: Some(4), ..word("坏词语") }], "坏----词语", "坏----词语", Reading::Gaps);
    clean(&[Entry { gaps: Some(0), ..word("坏词语") }], &["坏-词语"]);
    hit(&[word("shit")], "sh*t", "sh*t", Reading::Leet);
    clean(&[word("shit")], &["****", "s***", "*h*t", "sh *t", "xsh*t"]);
    // Short ones, some within others, all found.
    let entries = ["一", "二二", "三三三", "hello"].map(word);
    for text in ["一", "二二", "三三三", "hello"] {
        hit(&entries, text, text, Reading::Exact);
    }
    clean(&entries, &["二", "三三", "helo"]);
}

/// Rows 55 to 65: overlaps, places, crashes.
#[test]
fn overlaps() {
    let all = |entries: &[&str], text: &'static str| {
        let entries: Vec<Entry> =
            entries.iter().map(|text| Entry { boundary: Boundary::Anywhere.into(), ..word(text) }).collect();
        hits(&entries, text).into_iter().map(|(text, _)| text).collect::<Vec<_>>()
    };
    assert_eq!(all(&["洋坏子", "坏子"], "洋坏子来了"), ["洋坏子", "坏子"]);
    assert_eq!(all(&["she", "he", "say", "shr", "her"], "yasherhs"), ["she", "he", "her"]);
    assert_eq!(all(&["AB", "ABC"], "xABCx"), ["AB", "ABC"]);
    assert_eq!(all(&["BC"], "AAAABBBBCCCC"), ["BBBBCCCC"]);
    assert_eq!(all(&["234", "345", "123"], "123456"), ["123", "234", "345"]);
    hit(&[word("bummer")], "🤣bummer", "bummer", Reading::Exact);
    clean(&[word("badword")], &["привет, мир", "🙂", "@", ".,-*", "שלום עולם", "\u{2d1}", "\u{fffd}\0", ""]);
}

/// Texts of daily life with everything on: nothing is found in them.
#[test]
fn clean_texts() {
    let entries: Vec<Entry> = ["ass", "sex", "tit", "fu", "hell", "坏词语", "坏", "69", "av", "cp"]
        .iter()
        .map(|text| Entry { numeric: true, pinyin: true, split: true, ..word(text) })
        .collect();
    for text in [
        "assessment of a class",
        "Essex, Sussex",
        "title, titan",
        "kungfu",
        "hello shell",
        "好词语",
        "1.69.0",
        "have have",
        "cpu cpm",
        "草",
        "？？？",
        "确实",
        "哈哈哈哈哈",
        "LUL",
        "monkaS",
        "+2",
        "D:",
        "(╯°□°)╯︵ ┻━┻",
        "ヽ(´ー｀)ノ",
        "今天天气真好",
        "第1章 第2节",
        "12:30",
        "100%",
        "こんにちは世界",
        "안녕하세요",
        "ขอบคุณครับ",
        "नमस्ते दुनिया",
        "Ünïcödé",
        "👍👍🏽👨‍👩‍👧",
        "H2O CO2",
        "a b c d e f g",
        "i t i s o k",
        "s.e.a",
        "C++ and C#",
        "bad luck, good word",
    ] {
        let (folded, found) = common::find(&entries, text);
        assert_eq!(found, [], "{text:?}");
        let mut contacts = Vec::new();
        contact::find(&folded, &[], &mut contacts);
        assert_eq!(contacts, [], "{text:?}");
    }
}
