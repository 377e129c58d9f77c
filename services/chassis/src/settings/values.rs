//! Parsers of single values that clap has no type for; each error says what is wanted.
//! Kept out: names of flags, which the report adds.

use std::net::IpAddr;

use hyper::Uri;
use ipnet::IpNet;

/// Kafka allows 249 bytes in a topic's name; this leaves more than half to the name behind the prefix.
const PREFIX_BYTES_MAX: usize = 100;

/// One network, or one address meaning just itself.
///
/// # Errors
/// Says what a network looks like.
pub fn network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let alone = || text.parse::<IpAddr>().map(IpNet::from);
    text.parse::<IpNet>()
        .or_else(|_| alone())
        .map_err(|_| "a network is an address with a prefix length, such as 10.0.0.0/8 or fd00::/8".into())
}

/// One web origin as a browser sends it: scheme, host and perhaps a port, no path. There is no `*`.
///
/// # Errors
/// Says what an origin looks like.
pub fn origin(text: &str) -> Result<String, String> {
    let text = text.trim().to_ascii_lowercase();
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain = |host: &str| !host.is_empty() && !host.contains(|c: char| "/?#@,".contains(c) || c.is_whitespace());
    match host {
        Some(host) if plain(host) => Ok(text),
        _ => Err("an origin is a scheme and a host without a path, such as https://live.example.com".into()),
    }
}

/// Where a collector takes spans: what is given is its base, as in OpenTelemetry's own variables.
///
/// # Errors
/// Says what an endpoint looks like.
pub fn otlp_endpoint(text: &str) -> Result<Uri, String> {
    let wanted =
        "an endpoint is http://HOST:PORT, such as http://collector:4318; TLS and passwords are a collector's part";
    let base = text.trim().trim_end_matches('/');
    let base = base.strip_suffix("/v1/traces").unwrap_or(base);
    let is_plain = |uri: &Uri| {
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        uri.scheme_str() == Some("http") && !authority.is_empty() && !authority.contains('@') && uri.query().is_none()
    };
    format!("{base}/v1/traces").parse().ok().filter(is_plain).ok_or_else(|| wanted.to_owned())
}

/// A comma list of brokers, returned without stray spaces.
///
/// # Errors
/// Says what the list looks like.
pub fn list_of_brokers(text: &str) -> Result<String, String> {
    let brokers: Vec<&str> = text.split(',').map(str::trim).collect();
    let good = |broker: &str| match broker.rsplit_once(':') {
        Some((host, port)) => !host.is_empty() && !host.contains(char::is_whitespace) && port.parse::<u16>().is_ok(),
        None => false,
    };
    if brokers.iter().all(|broker| good(broker)) {
        Ok(brokers.join(","))
    } else {
        Err("brokers are a comma list of host:port, such as kafka-0:9092,kafka-1:9092".into())
    }
}

/// What goes before each topic's, group's and transactional id's name: letters, digits, `.`, `_` and `-`.
///
/// # Errors
/// Says which characters are allowed.
pub fn topic_prefix(text: &str) -> Result<String, String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if text.len() <= PREFIX_BYTES_MAX && text.chars().all(allowed) {
        Ok(text.into())
    } else {
        Err(format!("a prefix is at most {PREFIX_BYTES_MAX} characters of a-z, A-Z, 0-9, '.', '_' and '-'"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: ToString, E>(parse: impl Fn(&str) -> Result<T, E>, table: &[(&str, Option<&str>)]) {
        for (text, expected) in table {
            assert_eq!(parse(text).ok().map(|value| value.to_string()).as_deref(), *expected, "{text}");
        }
    }

    #[test]
    fn networks() {
        check(
            network,
            &[
                ("10.0.0.0/8", Some("10.0.0.0/8")),
                (" 192.0.2.7 ", Some("192.0.2.7/32")),
                ("::1", Some("::1/128")),
                ("fd00::/8", Some("fd00::/8")),
                ("10.0.0.0/33", None),
                ("proxy.local", None),
                ("", None),
            ],
        );
    }

    #[test]
    fn origins() {
        check(
            origin,
            &[
                ("https://Live.Example.com", Some("https://live.example.com")),
                ("http://localhost:5173", Some("http://localhost:5173")),
                ("*", None),
                ("https://live.example.com/", None),
                ("live.example.com", None),
                ("https://", None),
                ("ws://live.example.com", None),
            ],
        );
    }

    #[test]
    fn brokers() {
        check(
            list_of_brokers,
            &[
                ("localhost:9092", Some("localhost:9092")),
                ("a:1, b:2", Some("a:1,b:2")),
                ("[::1]:9092", Some("[::1]:9092")),
                ("localhost", None),
                ("a:1,", None),
                ("a:99999", None),
                ("", None),
            ],
        );
    }

    #[test]
    fn endpoints() {
        check(
            otlp_endpoint,
            &[
                ("http://collector:4318", Some("http://collector:4318/v1/traces")),
                (" http://collector:4318/ ", Some("http://collector:4318/v1/traces")),
                ("http://collector:4318/v1/traces", Some("http://collector:4318/v1/traces")),
                ("http://[::1]:4318/otlp", Some("http://[::1]:4318/otlp/v1/traces")),
                ("https://collector:4318", None),
                ("collector:4318", None),
                ("http://", None),
                ("http://collector:4318/?key=x", None),
                ("http://me:secret@collector:4318", None),
                ("", None),
            ],
        );
    }

    #[test]
    fn prefixes() {
        check(topic_prefix, &[("", Some("")), ("test-7.", Some("test-7.")), ("a/b", None), ("弹幕", None)]);
        assert!(topic_prefix(&"a".repeat(101)).is_err());
    }
}
