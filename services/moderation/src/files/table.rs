//! A table with a header, comma-separated as RFC 4180 says: every field of an entry can be a column. Lists in a field are
//! joined by `|`.

use csv::{Reader, ReaderBuilder, StringRecord, Writer};
use serde_json::{Map, Value, json};

use super::PROBLEMS_MAX;
use crate::{
    lists::{entry::Entry, page::Kept},
    refusal::Problem,
};

/// The columns of an export, in order; an import may have any of them in any order.
const COLUMNS: [&str; 19] = [
    "text",
    "kind",
    "category",
    "severity",
    "action",
    "mandatory",
    "boundary",
    "gaps",
    "numeric",
    "pinyin",
    "split",
    "starts_ms",
    "expires_ms",
    "broadcast",
    "also",
    "within",
    "comment",
    "tags",
    "private",
];

pub(super) fn parse(text: &str, like: &Entry) -> Result<Vec<(usize, Entry)>, Vec<Problem>> {
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let columns = columns(&mut reader)?;
    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, |at| usize::try_from(at.line()).unwrap_or(0));
            vec![Problem::at(line, format!("it is no row of a table: {error}"))]
        })?;
        let line = record.position().map_or(0, |at| usize::try_from(at.line()).unwrap_or(0));
        if record.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        match row(&columns, &record, like) {
            Ok(entry) => entries.push((line, entry)),
            Err(why) if problems.len() < PROBLEMS_MAX => problems.push(Problem::at(line, why)),
            Err(_) => break,
        }
    }
    if problems.is_empty() { Ok(entries) } else { Err(problems) }
}

fn columns(reader: &mut Reader<&[u8]>) -> Result<Vec<&'static str>, Vec<Problem>> {
    let header = reader.headers().map_err(|error| vec![Problem::at(1, error.to_string())])?;
    let known = |name: &str| COLUMNS.iter().find(|known| known.eq_ignore_ascii_case(name.trim())).copied();
    let columns: Result<Vec<&str>, _> = header.iter().map(|name| known(name).ok_or(name)).collect();
    match columns {
        Ok(columns) if columns.contains(&"text") => Ok(columns),
        Ok(_) => Err(vec![Problem::at(1, "the first line names the columns, and one of them is text")]),
        Err(name) => Err(vec![Problem::at(1, format!("there is no column {name}; there are {}", COLUMNS.join(", ")))]),
    }
}

/// A row is read as the JSON of an entry would be, so that both know the same words.
fn row(columns: &[&'static str], record: &StringRecord, like: &Entry) -> Result<Entry, String> {
    if record.len() > columns.len() {
        return Err(format!("it has {} fields, and the header names {}", record.len(), columns.len()));
    }
    let mut fields = match serde_json::to_value(like) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    for (column, field) in columns.iter().zip(record).filter(|(_, field)| !field.trim().is_empty()) {
        fields.insert((*column).to_owned(), value(column, field.trim())?);
    }
    if record.iter().zip(columns).all(|(field, column)| *column != "text" || field.trim().is_empty()) {
        fields.remove("text");
    }
    serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())
}

fn value(column: &str, field: &str) -> Result<Value, String> {
    match column {
        "severity" | "gaps" | "starts_ms" | "expires_ms" | "within" => {
            let number = field.parse::<i64>().map_err(|_| format!("{column} is a number"))?;
            Ok(json!(number))
        }
        "mandatory" | "numeric" | "pinyin" | "split" | "broadcast" | "private" => match field {
            "true" | "yes" | "1" => Ok(json!(true)),
            "false" | "no" | "0" => Ok(json!(false)),
            _ => Err(format!("{column} is true or false")),
        },
        "also" | "tags" => {
            Ok(json!(field.split('|').map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>()))
        }
        _ => Ok(json!(field)),
    }
}

pub(super) fn write(entries: &[&Kept]) -> Vec<u8> {
    let mut writer = Writer::from_writer(Vec::new());
    // Written into memory, which is never full before we are.
    let _ = writer.write_record(COLUMNS);
    for kept in entries {
        let told = serde_json::to_value(Entry::told(kept, true)).unwrap_or_default();
        let _ = writer.write_record(COLUMNS.map(|column| field(&told[column])));
    }
    writer.into_inner().unwrap_or_default()
}

fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|"),
        other => other.to_string(),
    }
}
