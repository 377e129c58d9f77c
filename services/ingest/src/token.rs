//! Who speaks, and whether he may speak here. Whether the token is to be believed is `chassis::tokens`' to say; time is an
//! argument.
//!
//! The relay's seam: fanout will pass on what a viewer sends over his socket, with a service token of role `relay` and,
//! in headers, the viewer's claims and address as fanout verified them. [`speaker`] is where those claims will stand in
//! for the token's own, so that everything behind it sees the person and not the node. Until then a relay, who has
//! nothing to say himself, is refused.

use std::sync::Arc;

use chassis::tokens::{Claims, Role, Verifier};
use hyper::{HeaderMap, header::AUTHORIZATION};
use proto::{RoomId, UserId, v1};

use crate::{
    admit::{BADGES_MAX, shown_name},
    refusal::Refusal,
};

/// What somebody wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// Send a danmaku.
    Say,
    /// Post a gift, super-chat, system line or event.
    Post,
}

/// Somebody believed.
#[derive(Debug, Clone)]
pub(crate) struct Speaker {
    claims: Arc<Claims>,
    id: UserId,
}

/// Who brings the request's bearer token.
pub(crate) fn speaker(headers: &HeaderMap, verifier: &Verifier, now_secs: u64) -> Result<Speaker, Refusal> {
    let token = bearer(headers)?;
    let claims = verifier.verify(token, now_secs).map_err(|why| Refusal::Unauthorized(why.to_string()))?;
    let id = UserId::new(&claims.sub)
        .map_err(|why| Refusal::Unauthorized(format!("the token's sub is no user id: {why}")))?;
    Ok(Speaker { claims, id })
}

fn bearer(headers: &HeaderMap) -> Result<&str, Refusal> {
    let missing = || Refusal::Unauthorized("a token is needed: send Authorization: Bearer <token>".into());
    let mut lines = headers.get_all(AUTHORIZATION).iter();
    // Two of them are nobody's honest request.
    let (Some(line), None) = (lines.next(), lines.next()) else { return Err(missing()) };
    let (scheme, token) = line.to_str().ok().and_then(|line| line.split_once(' ')).ok_or_else(missing)?;
    if scheme.eq_ignore_ascii_case("bearer") { Ok(token.trim()) } else { Err(missing()) }
}

impl Speaker {
    /// With which authority he may do this in this room.
    pub(crate) fn may(&self, act: Act, room: &RoomId) -> Result<v1::Role, Refusal> {
        let role = authority(&self.claims, act)?;
        if self.claims.covers(room.as_str()) {
            Ok(role)
        } else {
            Err(Refusal::Forbidden("the token is for other rooms".into()))
        }
    }

    /// His id, by which he is limited.
    pub(crate) fn id(&self) -> &UserId {
        &self.id
    }

    /// How the record names him and what the judge needs to know of him.
    pub(crate) fn on_record(&self) -> v1::Input {
        let claims = &*self.claims;
        let secs = |since: Option<u64>| since.and_then(|secs| i64::try_from(secs).ok()).unwrap_or_default();
        let user = v1::User {
            id: claims.sub.clone(),
            name: shown_name(&claims.name, &claims.sub),
            level: claims.level,
            badges: claims.badges.iter().take(BADGES_MAX).cloned().collect(),
        };
        v1::Input {
            user: Some(user),
            follows_since: secs(claims.follows_since),
            account_since: secs(claims.account_since),
            device: claims.device.clone().unwrap_or_default(),
            ..v1::Input::default()
        }
    }
}

/// The highest authority the claims give for an act: a moderator's word is not thinned, and a service's is believed.
fn authority(claims: &Claims, act: Act) -> Result<v1::Role, Refusal> {
    let forbidden = |why: &str| Err(Refusal::Forbidden(why.into()));
    match act {
        _ if claims.has(Role::Service) => Ok(v1::Role::Service),
        Act::Post => forbidden("events are posted with the role service"),
        Act::Say if claims.has(Role::Moderator) => Ok(v1::Role::Moderator),
        Act::Say if claims.has(Role::Sender) => Ok(v1::Role::Sender),
        Act::Say if claims.has(Role::Relay) => forbidden("a relay speaks for somebody, and the request names nobody"),
        Act::Say => forbidden("sending wants the role sender"),
    }
}

#[cfg(test)]
mod tests {
    use chassis::tokens::Signer;
    use hyper::header::HeaderValue;

    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn headers(lines: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(AUTHORIZATION, HeaderValue::from_str(line).unwrap());
        }
        headers
    }

    fn check(roles: &[Role], act: Act, expected: Result<v1::Role, &str>) {
        let claims = Claims::new("u1", roles.iter().copied().collect());
        assert_eq!(authority(&claims, act).map_err(|refusal| refusal.code()), expected, "{roles:?} {act:?}");
    }

    #[test]
    fn roles_and_what_they_may() {
        use Role::{Moderator, Relay, Sender, Service, Viewer};
        check(&[], Act::Say, Err("forbidden"));
        check(&[Viewer], Act::Say, Err("forbidden"));
        check(&[Relay], Act::Say, Err("forbidden"));
        check(&[Viewer, Sender], Act::Say, Ok(v1::Role::Sender));
        check(&[Sender, Moderator], Act::Say, Ok(v1::Role::Moderator));
        check(&[Service], Act::Say, Ok(v1::Role::Service));
        check(&[Service], Act::Post, Ok(v1::Role::Service));
        check(&[Sender, Moderator, Relay], Act::Post, Err("forbidden"));
    }

    #[test]
    fn a_token_speaks_for_its_rooms_only() {
        let signer = Signer::random_hs256();
        let verifier = signer.verifier().unwrap();
        let mut claims = Claims::new("u1", [Role::Sender].into_iter().collect());
        claims.rooms = Some(vec!["demo".into()]);
        claims.name = "\u{202e}Ann\n".into();
        claims.badges = (0..10).map(|badge| badge.to_string()).collect();
        claims.follows_since = Some(7);
        let token = signer.mint(&claims, std::time::Duration::from_secs(60), NOW).unwrap();
        let speaker = speaker(&headers(&[&format!("bEARER {token}")]), &verifier, NOW).unwrap();
        let room = |name| RoomId::new(name).unwrap();
        assert_eq!(speaker.may(Act::Say, &room("demo")), Ok(v1::Role::Sender));
        assert_eq!(speaker.may(Act::Say, &room("other")).unwrap_err().code(), "forbidden");
        let record = speaker.on_record();
        let user = record.user.unwrap();
        assert_eq!((user.id.as_str(), user.name.as_str(), user.badges.len()), ("u1", "Ann", 8));
        assert_eq!(record.follows_since, 7);
    }

    #[test]
    fn headers_that_bring_no_token() {
        let verifier = Signer::random_hs256().verifier().unwrap();
        for lines in [&[][..], &["Bearer"], &["Basic abc"], &["Bearer a.b.c", "Bearer a.b.c"], &["Bearer x"]] {
            let refusal = speaker(&headers(lines), &verifier, NOW).unwrap_err();
            assert_eq!(refusal.code(), "unauthorized", "{lines:?}");
        }
    }
}
