//! Every `danmaku …` that a page for people, or a command's own help, tells them to type is one that the line takes.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::error::ErrorKind;

use super::{commands, danmaku};

/// A command in prose need not be whole.
const INCOMPLETE: [ErrorKind; 4] = [
    ErrorKind::MissingRequiredArgument,
    ErrorKind::MissingSubcommand,
    ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
    ErrorKind::DisplayHelp,
];

/// What a reader might put for `ADDRESS` or `…`: one of them is right.
const PUT: [&str; 2] = ["1", "host:1"];

#[test]
fn what_pages_tell_to_type_is_taken() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut told: Vec<(String, String)> = Vec::new();
    for page in pages(&root) {
        let text = fs::read_to_string(&page).unwrap();
        told.extend(lines(&text).map(|line| (page.display().to_string(), line)));
    }
    for (name, command) in commands() {
        // 0: no line is broken.
        let help = command.term_width(0).render_long_help().to_string();
        told.extend(lines(&format!("```\n{help}```")).map(|line| (format!("danmaku {name} --help"), line)));
    }
    assert!(told.len() > 60, "{} commands are told of", told.len());
    let mut faults = Vec::new();
    for (page, line) in told {
        let refused = PUT.map(|put| refusal(&words(&line, put)));
        if !refused.contains(&None) {
            faults.push(format!("{page}: {line}: {refused:?}"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn what_is_typed_is_found() {
    for (text, expected) in [
        ("as `danmaku words add` does", &["danmaku words add"][..]),
        ("`kubectl -n danmaku get pods & danmaku drain\n  --check`", &["danmaku drain --check"]),
        (
            "```sh\nx $(danmaku token --sub a)\ndanmaku doctor   # why\ndanmaku up  danmaku ban e\n```",
            &["danmaku token --sub a", "danmaku doctor", "danmaku up", "danmaku ban e"],
        ),
        ("the program danmaku up", &[]),
    ] {
        assert_eq!(lines(text).collect::<Vec<_>>(), expected, "{text}");
    }
    assert_eq!(words("danmaku ban 'a b' --for N > file", "1"), ["danmaku", "ban", "a b", "--for", "1"]);
    for (line, is_taken) in [("rollback N", true), ("rollback", true), ("rollback --to N", false), ("roll N", false)] {
        assert_eq!(refusal(&words(&format!("danmaku words {line}"), "1")).is_none(), is_taken, "{line}");
    }
}

/// Why the line does not take these words.
fn refusal(words: &[String]) -> Option<String> {
    let error = danmaku().try_get_matches_from(words).err()?;
    (!INCOMPLETE.contains(&error.kind())).then(|| error.to_string())
}

/// All pages for people.
fn pages(root: &Path) -> Vec<PathBuf> {
    let folder = |path: &str| {
        let files = fs::read_dir(root.join(path)).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|file| file.extension().is_some_and(|extension| extension == "md")).collect::<Vec<_>>()
    };
    ["", "docs", "docs/runbooks", "k8s", "k8s/monitoring"].iter().flat_map(|path| folder(path)).collect()
}

/// The commands in a page's fences, line by line, and between its backticks.
fn lines(text: &str) -> impl Iterator<Item = String> {
    let fence = |(number, part): (usize, &str)| -> Vec<String> {
        if number % 2 == 1 {
            return part.lines().map(str::to_owned).collect();
        }
        part.split('`').skip(1).step_by(2).map(|span| span.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let typed: Vec<String> = text.split("```").enumerate().flat_map(fence).collect();
    typed.into_iter().flat_map(|line| commands_of(&line))
}

/// Those of ours among the commands of a line.
fn commands_of(line: &str) -> Vec<String> {
    let line = line.split(" # ").next().unwrap_or_default().replace("$(", "&").replace(')', "&");
    // Columns stand three spaces apart.
    let mut line = line.replace("  danmaku ", "&danmaku ").replace(" && ", "&");
    if line.trim_start_matches('&').starts_with("danmaku ") {
        line = line.replace(", danmaku ", "&danmaku ");
    }
    let ours =
        line.split(['&', '|', ';']).map(|one| one.split("   ").find(|part| !part.is_empty()).unwrap_or_default());
    ours.map(str::trim).filter(|one| one.starts_with("danmaku ")).map(str::to_owned).collect()
}

/// A shell's words, with a number for `N` and `put` for what else a reader has to fill in, and without what goes to a file.
fn words(line: &str, put: &str) -> Vec<String> {
    let filled = |word: &str| match word {
        "…" => put.to_owned(),
        _ if !word.bytes().all(|byte| byte.is_ascii_uppercase()) => word.to_owned(),
        _ if word.len() == 1 => "1".to_owned(),
        _ => put.to_owned(),
    };
    let (mut words, mut is_quoted) = (Vec::new(), false);
    for part in line.split(" > ").next().unwrap_or_default().split('\'') {
        if is_quoted {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(filled));
        }
        is_quoted = !is_quoted;
    }
    words
}
