//! Spans as a collector reads them: what we say of OTLP's trace messages, in protobuf. Pure. Sending them is `export`'s.
//!
//! Eleven small messages, by the numbers of opentelemetry-proto 1.x, whose crate brings the whole SDK along. The
//! test holds them against bytes that OpenTelemetry's own library for Python made.

use prost::Message;

use super::{
    Context,
    span::{self, Act, Value},
};
use crate::release;

/// A request: the spans of some services.
#[derive(Clone, PartialEq, Message)]
pub struct Export {
    /// A service each.
    #[prost(message, repeated, tag = "1")]
    pub services: Vec<ResourceSpans>,
}

/// One service's spans.
#[derive(Clone, PartialEq, Message)]
pub struct ResourceSpans {
    /// Which service it is.
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Resource>,
    /// Its spans, by what recorded them; always one here.
    #[prost(message, repeated, tag = "2")]
    pub scopes: Vec<ScopeSpans>,
}

/// A service.
#[derive(Clone, PartialEq, Message)]
pub struct Resource {
    /// Its name, version and instance.
    #[prost(message, repeated, tag = "1")]
    pub attributes: Vec<KeyValue>,
}

/// The spans that one part of a program recorded.
#[derive(Clone, PartialEq, Message)]
pub struct ScopeSpans {
    /// The spans.
    #[prost(message, repeated, tag = "2")]
    pub spans: Vec<Span>,
}

/// A span.
#[derive(Clone, PartialEq, Message)]
pub struct Span {
    /// 16 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub trace_id: Vec<u8>,
    /// 8 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub span_id: Vec<u8>,
    /// 8 bytes; empty for the first of a trace.
    #[prost(bytes = "vec", tag = "4")]
    pub parent_span_id: Vec<u8>,
    /// What was done, and where.
    #[prost(string, tag = "5")]
    pub name: String,
    /// 4 producer, 5 consumer.
    #[prost(int32, tag = "6")]
    pub kind: i32,
    /// Unix nanoseconds.
    #[prost(fixed64, tag = "7")]
    pub start_time_unix_nano: u64,
    /// Unix nanoseconds.
    #[prost(fixed64, tag = "8")]
    pub end_time_unix_nano: u64,
    /// What is said of it.
    #[prost(message, repeated, tag = "9")]
    pub attributes: Vec<KeyValue>,
    /// What else it has to do with.
    #[prost(message, repeated, tag = "13")]
    pub links: Vec<Link>,
    /// How many more of those there were.
    #[prost(uint32, tag = "14")]
    pub dropped_links_count: u32,
    /// Whether it failed; absent if not.
    #[prost(message, optional, tag = "15")]
    pub status: Option<Status>,
    /// W3C's: 1 is sampled.
    #[prost(fixed32, tag = "16")]
    pub flags: u32,
}

/// Another span.
#[derive(Clone, PartialEq, Message)]
pub struct Link {
    /// 16 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub trace_id: Vec<u8>,
    /// 8 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub span_id: Vec<u8>,
}

/// How a span ended.
#[derive(Clone, PartialEq, Message)]
pub struct Status {
    /// 2 is an error.
    #[prost(int32, tag = "3")]
    pub code: i32,
}

/// One thing that is said.
#[derive(Clone, PartialEq, Message)]
pub struct KeyValue {
    /// Of what.
    #[prost(string, tag = "1")]
    pub key: String,
    /// What.
    #[prost(message, optional, tag = "2")]
    pub value: Option<AnyValue>,
}

/// A value.
#[derive(Clone, PartialEq, Message)]
pub struct AnyValue {
    /// The value.
    #[prost(oneof = "Held", tags = "1, 3")]
    pub held: Option<Held>,
}

/// The kinds of values that we use.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Held {
    /// Some text.
    #[prost(string, tag = "1")]
    Text(String),
    /// A number.
    #[prost(int64, tag = "3")]
    Number(i64),
}

/// The answer to a request.
#[derive(Clone, PartialEq, Message)]
pub struct Answer {
    /// What was not taken; absent if all was.
    #[prost(message, optional, tag = "1")]
    pub partial_success: Option<PartialSuccess>,
}

/// What was not taken.
#[derive(Clone, PartialEq, Message)]
pub struct PartialSuccess {
    /// How many spans.
    #[prost(int64, tag = "1")]
    pub rejected_spans: i64,
    /// Why.
    #[prost(string, tag = "2")]
    pub error_message: String,
}

const PRODUCER: i32 = 4;
const CONSUMER: i32 = 5;
const ERROR: i32 = 2;

/// The request that tells of these spans; `instance` is this process's.
pub(super) fn request(spans: &[span::Span], instance: &str) -> Export {
    let mut services: Vec<(&str, Vec<Span>)> = Vec::new();
    for span in spans {
        match services.iter_mut().find(|(service, _)| *service == span.service) {
            Some((_, told)) => told.push(of(span)),
            None => services.push((span.service, vec![of(span)])),
        }
    }
    let one = |(service, spans)| ResourceSpans {
        resource: Some(resource(service, instance)),
        scopes: vec![ScopeSpans { spans }],
    };
    Export { services: services.into_iter().map(one).collect() }
}

fn resource(service: &str, instance: &str) -> Resource {
    let attributes = [
        ("service.namespace", "danmaku"),
        ("service.name", service),
        ("service.version", release::VERSION),
        ("service.instance.id", instance),
    ];
    Resource { attributes: attributes.map(|(key, value)| said(key, Held::Text(value.to_owned()))).into() }
}

fn of(span: &span::Span) -> Span {
    let value = |value: &Value| match value {
        Value::Text(text) => Held::Text(text.clone().into_owned()),
        Value::Number(number) => Held::Number(*number),
    };
    Span {
        trace_id: span.context.trace().into(),
        span_id: span.context.span().into(),
        parent_span_id: span.parent.map(|parent| parent.span().into()).unwrap_or_default(),
        name: span.name(),
        kind: if span.act == Act::Send { PRODUCER } else { CONSUMER },
        start_time_unix_nano: span.began_ns,
        end_time_unix_nano: span.ended_ns,
        attributes: span.attributes.iter().map(|(key, said_of_it)| said(key, value(said_of_it))).collect(),
        links: span.links.iter().map(link).collect(),
        dropped_links_count: span.links_left_out,
        status: span.error.map(|_| Status { code: ERROR }),
        flags: span.context.is_sampled().into(),
    }
}

fn link(to: &Context) -> Link {
    Link { trace_id: to.trace().into(), span_id: to.span().into() }
}

fn said(key: &str, held: Held) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Some(AnyValue { held: Some(held) }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Why, span::Span};

    fn context(span: &str) -> Context {
        Context::parse(format!("00-0af7651916cd43dd8448eb211c80319c-{span}-01").as_bytes()).unwrap()
    }

    /// The spans of scripts/otlp/sample.py.
    fn spans() -> [Span; 2] {
        let began_ns = 1_790_000_000_000_000_000;
        let span = |act, topic, id, service| Span {
            began_ns,
            ended_ns: began_ns + 12_345_678,
            attributes: Vec::new(),
            ..Span::ended(act, topic, 0, context(id), Why::Chance, std::time::Instant::now()).of(service)
        };
        let stranger = Context::parse(format!("00-{}-{}-00", "ff".repeat(16), "ee".repeat(8)).as_bytes()).unwrap();
        let door = span(Act::Send, "danmaku-input", "b7ad6b7169203331", "ingest").linked(&[stranger]);
        let hall = span(Act::Process, "danmaku-output", "00f067aa0ba902b7", "fanout");
        let hall =
            hall.under(Some(context("b7ad6b7169203331"))).with("messaging.kafka.offset", 300).failed("undecodable");
        [Span { links_left_out: 3, ..door.with("messaging.message.id", "1-3-7") }, hall]
    }

    #[test]
    fn opentelemetrys_own_library_writes_the_same_bytes() {
        let sample = include_str!("sample.txt").lines().nth(1).unwrap();
        let mut export = request(&spans(), "i1");
        for service in &mut export.services {
            let version = &mut service.resource.as_mut().unwrap().attributes[2].value.as_mut().unwrap().held;
            assert_eq!(version.replace(Held::Text("VERSION".into())), Some(Held::Text(release::VERSION.into())));
        }
        let bytes: String = export.encode_to_vec().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(bytes, sample);
    }
}
