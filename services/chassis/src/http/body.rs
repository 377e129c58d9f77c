//! A request's body: what it is said to be, and reading it whole, within a size and a time.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::{HeaderMap, body::Body, header::CONTENT_TYPE};

/// Whether a body is said to be `application/json`, with or without parameters. What a page may send without asking (a form,
/// plain text) is not.
#[must_use]
pub fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

/// How reading a body ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Collected {
    /// All of it.
    Whole(Bytes),
    /// It is longer than allowed, or says so (413).
    TooLong,
    /// It did not come in time (408).
    Slow,
    /// The client went away or broke the framing (400, if anybody is left to hear it).
    Broken,
}

/// Reads the body whole, at most `bytes_max` bytes and for at most `timeout`.
///
/// A body that announces too great a length is not read at all; one that does not is given up at the first byte too
/// many, so a request never holds more than `bytes_max` and one read.
pub async fn collect<B>(body: B, bytes_max: usize, timeout: Duration) -> Collected
where
    B: Body<Data = Bytes>,
{
    if body.size_hint().lower() > bytes_max as u64 {
        return Collected::TooLong;
    }
    tokio::time::timeout(timeout, read(body, bytes_max)).await.unwrap_or(Collected::Slow)
}

async fn read<B>(body: B, bytes_max: usize) -> Collected
where
    B: Body<Data = Bytes>,
{
    let mut body = std::pin::pin!(body);
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return Collected::Broken };
        let Ok(data) = frame.into_data() else { continue }; // Trailers say nothing to us.
        if whole.len() + data.len() > bytes_max {
            return Collected::TooLong;
        }
        whole.extend_from_slice(&data);
    }
    Collected::Whole(whole.freeze())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use hyper::header::HeaderValue;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use http_body_util::Full;
    use hyper::body::Frame;

    use super::*;

    /// Gives its pieces without announcing a length, then nothing, its end or an error.
    struct Pieces(Vec<&'static str>, Then);
    enum Then {
        End,
        Silence,
        Error,
    }

    impl Body for Pieces {
        type Data = Bytes;
        type Error = &'static str;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, &'static str>>> {
            match (self.0.is_empty(), &self.1) {
                (false, _) => Poll::Ready(Some(Ok(Frame::data(self.0.remove(0).into())))),
                (true, Then::End) => Poll::Ready(None),
                (true, Then::Silence) => Poll::Pending,
                (true, Then::Error) => Poll::Ready(Some(Err("reset"))),
            }
        }
    }

    const LONG: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn the_limit_itself_fits_and_one_more_does_not() {
        assert_eq!(collect(Full::from("1234"), 4, LONG).await, Collected::Whole("1234".into()));
        assert_eq!(collect(Full::from("12345"), 4, LONG).await, Collected::TooLong);
        assert_eq!(collect(Pieces(vec!["12", "34"], Then::End), 4, LONG).await, Collected::Whole("1234".into()));
        assert_eq!(collect(Pieces(vec!["12", "345"], Then::Silence), 4, LONG).await, Collected::TooLong);
    }

    #[tokio::test]
    async fn a_body_that_does_not_end_is_slow_and_one_that_breaks_is_broken() {
        assert_eq!(collect(Pieces(vec!["12"], Then::Silence), 4, Duration::ZERO).await, Collected::Slow);
        assert_eq!(collect(Pieces(vec!["12"], Then::Error), 4, LONG).await, Collected::Broken);
    }

    #[tokio::test]
    async fn an_empty_body_is_whole() {
        let empty = http_body_util::Empty::<Bytes>::new().map_err(|never: Infallible| match never {});
        assert_eq!(collect(empty, 4, LONG).await, Collected::Whole(Bytes::new()));
    }

    #[test]
    fn content_types() {
        for (value, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/json5", false),
            ("text/plain", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(value));
            assert_eq!(is_json(&headers), expected, "{value}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }
}
