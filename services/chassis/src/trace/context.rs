//! Which trace and which span something belongs to, and how that is written in a `traceparent` header (W3C Trace Context).
//! Pure. Who may be believed is the caller's.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A later version may add fields; a header comes from anybody, so it has a bound.
const BYTES_MAX: usize = 128;

/// A span within its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    trace: [u8; 16],
    span: [u8; 8],
    is_sampled: bool,
}

impl Context {
    /// The first span of a new trace.
    #[must_use]
    pub fn root() -> Self {
        Self { trace: rand::random(), ..Self::new_span([0; 16]) }
    }

    /// A new span of the trace that belongs to `key`: whoever knows the key, wherever he is, names the same trace.
    #[must_use]
    pub fn derived(key: &str) -> Self {
        let hash: [u8; 32] = Sha256::digest(key).into();
        Self::new_span(std::array::from_fn(|place| hash[place]))
    }

    /// A new span of the same trace.
    #[must_use]
    pub fn child(self) -> Self {
        Self::new_span(self.trace)
    }

    fn new_span(trace: [u8; 16]) -> Self {
        Self { trace, span: rand::random(), is_sampled: true }
    }

    /// Reads a `traceparent`, `None` unless it is well formed: `version-trace-span-flags` in lower-case hex of 2, 32, 16 and 2
    /// digits. Ids of only zeros and version ff are invalid, version 00 ends there, a later one may go on after a dash.
    #[must_use]
    pub fn parse(header: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(header).ok().filter(|text| text.len() <= BYTES_MAX)?;
        let mut parts = text.splitn(5, '-');
        let [version] = hex(parts.next()?)?;
        let trace = hex(parts.next()?).filter(|id| *id != [0; 16])?;
        let span = hex(parts.next()?).filter(|id| *id != [0; 8])?;
        let [flags] = hex(parts.next()?)?;
        let is_known = version != 0xff && (version != 0 || parts.next().is_none());
        is_known.then_some(Self { trace, span, is_sampled: flags & 1 == 1 })
    }

    /// Whether who wrote it asks to go on with it.
    #[must_use]
    pub fn is_sampled(self) -> bool {
        self.is_sampled
    }

    /// The trace's 16 bytes.
    #[must_use]
    pub fn trace(self) -> [u8; 16] {
        self.trace
    }

    /// The span's 8 bytes.
    #[must_use]
    pub fn span(self) -> [u8; 8] {
        self.span
    }
}

/// As a `traceparent`.
impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (trace, span) = (u128::from_be_bytes(self.trace), u64::from_be_bytes(self.span));
        write!(f, "00-{trace:032x}-{span:016x}-{:02x}", u8::from(self.is_sampled))
    }
}

fn hex<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    let pairs = digits.as_bytes().chunks_exact(2);
    if digits.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        for (text, expected) in [
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", Some(true)),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", Some(false)),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-fe", Some(false)),
            ("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", Some(true)),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", None),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-", None),
            ("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", None),
            ("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", None),
            ("00-00000000000000000000000000000000-b7ad6b7169203331-01", None),
            ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", None),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", None),
            ("00-0af7651916cd43dd8448eb211c80319-cb7ad6b7169203331-01", None),
            ("", None),
        ] {
            assert_eq!(Context::parse(text.as_bytes()).map(Context::is_sampled), expected, "{text}");
        }
        let long = format!("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-{}", "x".repeat(BYTES_MAX));
        assert_eq!(Context::parse(long.as_bytes()), None);
        assert_eq!(Context::parse(&[0xff; 55]), None);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let root = Context::root();
        assert_eq!(Context::parse(root.to_string().as_bytes()), Some(root));
        let text = "00-0af7651916cd43dd8448eb211c80319c-00ad6b7169203331-00";
        assert_eq!(Context::parse(text.as_bytes()).unwrap().to_string(), text);
    }

    #[test]
    fn a_trace_goes_on_and_a_key_names_one() {
        let root = Context::root();
        assert_eq!(root.child().trace(), root.trace());
        assert_ne!(root.child().span(), root.span());
        assert_ne!(Context::root().trace(), root.trace());
        let derived = Context::derived("1-3-7@5");
        assert_eq!(derived.trace(), Context::derived("1-3-7@5").trace());
        assert_ne!(derived.span(), Context::derived("1-3-7@5").span());
        assert_ne!(derived.trace(), Context::derived("1-3-8@5").trace());
        // What docs/tracing.md tells people to compute.
        assert!(derived.to_string().starts_with("00-a2acdcea61b5f2cd2b5c3c80203f2b29-"), "{derived}");
    }
}
