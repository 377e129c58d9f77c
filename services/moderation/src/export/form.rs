//! The forms that a file of rows has. Pure: each writes a head, rows and a tail behind what is written already; a file without
//! its tail broke off.

use super::{Head, ndjson, shown::Row, xml};

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As recorders write it and players read it.
    Xml,
    /// A JSON object a line.
    Ndjson,
}

impl Form {
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Xml => "application/xml; charset=utf-8",
            Self::Ndjson => "application/x-ndjson",
        }
    }

    pub(crate) fn head(self, to: &mut Vec<u8>, head: &Head) {
        match self {
            Self::Xml => xml::head(to, head),
            Self::Ndjson => ndjson::head(to, head),
        }
    }

    pub(crate) fn row(self, to: &mut Vec<u8>, head: &Head, row: &Row) {
        match self {
            Self::Xml => xml::row(to, head, row),
            Self::Ndjson => ndjson::row(to, head, row),
        }
    }

    pub(crate) fn tail(self, to: &mut Vec<u8>, rows: usize) {
        match self {
            Self::Xml => xml::tail(to),
            Self::Ndjson => ndjson::tail(to, rows),
        }
    }
}
