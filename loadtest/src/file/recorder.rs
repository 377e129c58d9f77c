//! The XML that recorders and video sites write: `<i><d p="time,mode,size,color,sent,pool,user,id">text</d>…</i>`.

use anyhow::Context as _;
use proto::v1::Position;
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::{Faults, Line, Recording, color, position, seconds};

pub(super) fn parse(text: &str) -> anyhow::Result<Recording> {
    let mut reader = Reader::from_str(text);
    // Viewers' texts come with lone ampersands, and a recorder that was killed leaves its elements open.
    reader.config_mut().allow_dangling_amp = true;
    reader.config_mut().check_end_names = false;
    let mut recording = Recording::default();
    let mut open: Option<Line> = None;
    loop {
        let event = reader.read_event().with_context(|| format!("XML at byte {}", reader.error_position()))?;
        match event {
            Event::Start(element) if element.name().as_ref() == "d" => open = begin(&element, &mut recording.faults),
            Event::Empty(element) if element.name().as_ref() == "d" => {
                recording.lines.extend(begin(&element, &mut recording.faults));
            }
            Event::Text(text) => push(&mut open, &text.xml10_content()),
            Event::CData(text) => push(&mut open, &text.xml10_content()),
            Event::GeneralRef(reference) => push(&mut open, &resolve(&reference)),
            Event::End(element) if element.name().as_ref() == "d" => recording.lines.extend(open.take()),
            Event::Eof => return Ok(recording),
            _ => {}
        }
    }
}

fn push(open: &mut Option<Line>, text: &str) {
    if let Some(line) = open {
        line.text.push_str(text);
    }
}

/// What `&name;` stands for; an unknown one stands for itself.
fn resolve(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string();
    }
    let name = reference.xml10_content();
    match quick_xml::escape::resolve_predefined_entity(&name) {
        Some(text) => text.to_owned(),
        None => format!("&{name};"),
    }
}

/// The line an element begins, its text still to come; none when it has no time.
fn begin(element: &BytesStart<'_>, faults: &mut Faults) -> Option<Line> {
    let mut attributes = element.attributes();
    let p = attributes.with_checks(false).flatten().find(|attribute| attribute.key.as_ref() == "p");
    let p = p.map(|attribute| attribute.value.into_owned()).unwrap_or_default();
    let fields: Vec<&str> = p.split(',').map(str::trim).collect();
    let field = |index: usize| fields.get(index).copied().unwrap_or_default();
    let Some(at) = field(0).parse().ok().and_then(seconds) else {
        faults.line(|| format!("`p=\"{p}\"`: it begins with no time"));
        return None;
    };
    let position = field(1).parse().ok().and_then(position).unwrap_or_else(|| {
        faults.value(|| format!("`p=\"{p}\"`: its mode is none of 1, 4, 5"));
        Position::Scroll
    });
    let color = field(3).parse().map(color).unwrap_or_else(|_| {
        faults.value(|| format!("`p=\"{p}\"`: its color is no number"));
        None
    });
    Some(Line { at, user: field(6).to_owned(), text: String::new(), position, color })
}
