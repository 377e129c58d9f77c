//! Who asks when nobody says it: a program on an embedded broker gives this machine a token for the asking.

use hyper::Uri;
use serde::Deserialize;

use super::{Api, Failure, Question};

#[derive(Deserialize)]
struct Minted {
    token: String,
}

impl Api {
    /// An owner's token of the program on this machine.
    pub(super) async fn development_token(&self) -> Result<String, Failure> {
        let none = |why: &str| {
            Failure::Usage(format!(
                "--token (DANMAKU_TOKEN): {why}; make one with `danmaku token --keys FILE --sub YOU --roles moderator`"
            ))
        };
        if !self.server.as_ref().and_then(Uri::host).is_none_or(is_loopback) {
            return Err(none("a service elsewhere must be told who asks"));
        }
        let name = std::env::var("USER").unwrap_or_default();
        let name = if name.is_empty() { "moderator" } else { &name };
        let question = Question::get_from("/dev/token").with("name", Some(name)).with("roles", Some("owner"));
        let answer = self.request(question, None).await?;
        match answer.status {
            200 => answer.read::<Minted>().map(|minted| minted.token),
            _ => Err(none("this service gives no tokens away")),
        }
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_asked() {
        for (host, expected) in
            [("127.0.0.1", true), ("localhost", true), ("[::1]", true), ("192.0.2.1", false), ("moderation", false)]
        {
            assert_eq!(is_loopback(host), expected, "{host}");
        }
    }
}
