//! Who speaks, and whether he may speak here. Whether the token is to be believed is `chassis::tokens`' to say; time is an
//! argument.
//!
//! Fanout passes on what a viewer sends over his socket, with a token of role `relay` and, in headers, the viewer's claims
//! and address as fanout verified them. Those stand in for the token's own, so that limits and records see the person and
//! not the node. They are asked for their end at each send, give nobody more than they say, and bring danmaku only. A relay
//! has nothing to say himself.

use std::{net::IpAddr, sync::Arc};

use chassis::tokens::{Claims, HEADER_ADDRESS, HEADER_CLAIMS, Role, Verifier};
use hyper::{HeaderMap, header::AUTHORIZATION};
use proto::{
    RoomId, UserId,
    ban::{AddressHash, Person},
    v1,
};

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
    /// Say one word to every room.
    Announce,
}

/// Somebody believed.
#[derive(Debug, Clone)]
pub(crate) struct Speaker {
    claims: Arc<Claims>,
    id: UserId,
    relay: Option<Relay>,
}

/// Who passes on what somebody says.
#[derive(Debug, Clone)]
struct Relay {
    /// The relay's own.
    claims: Arc<Claims>,
    /// Where the one who is spoken for came from.
    address: IpAddr,
}

/// Who brings the request's bearer token, or who is spoken for by who brings it.
pub(crate) fn speaker(headers: &HeaderMap, verifier: &Verifier, now_secs: u64) -> Result<Speaker, Refusal> {
    let token = bearer(headers)?;
    let unauthorized = |why: &dyn std::fmt::Display| Refusal::Unauthorized(why.to_string());
    let claims = verifier.verify(token, now_secs).map_err(|why| unauthorized(&why))?;
    let (claims, relay) = match spoken_for(headers)? {
        None => (claims, None),
        Some(_) if !claims.has(Role::Relay) => {
            return Err(Refusal::Forbidden("only a token of role relay speaks for somebody else".into()));
        }
        Some((person, address)) => {
            person.check_time(now_secs).map_err(|why| unauthorized(&why))?;
            (Arc::new(person), Some(Relay { claims, address }))
        }
    };
    let id = UserId::new(&claims.sub)
        .map_err(|why| Refusal::Unauthorized(format!("the token's sub is no user id: {why}")))?;
    Ok(Speaker { claims, id, relay })
}

/// The claims and the address of who is spoken for, if the request says there is somebody.
fn spoken_for(headers: &HeaderMap) -> Result<Option<(Claims, IpAddr)>, Refusal> {
    if !headers.contains_key(HEADER_CLAIMS) && !headers.contains_key(HEADER_ADDRESS) {
        return Ok(None);
    }
    let bad = |name: &str, why: &str| Refusal::Malformed(format!("header {name}: {why}"));
    let one = |name: &'static str| {
        let mut lines = headers.get_all(name).iter();
        let line = lines.next().and_then(|line| line.to_str().ok()).filter(|_| lines.next().is_none());
        line.ok_or_else(|| bad(name, "it must stand there once"))
    };
    let claims = Claims::from_header(one(HEADER_CLAIMS)?).map_err(|why| bad(HEADER_CLAIMS, &why.to_string()))?;
    let address: IpAddr = one(HEADER_ADDRESS)?.parse().map_err(|_| bad(HEADER_ADDRESS, "it is no address"))?;
    Ok(Some((claims, address.to_canonical())))
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
    /// With which authority he may do this in this room; `None` is every room.
    pub(crate) fn may(&self, act: Act, room: Option<&RoomId>) -> Result<v1::Role, Refusal> {
        if self.relay.is_some() && act != Act::Say {
            return Err(Refusal::Forbidden("a relay brings danmaku and nothing else".into()));
        }
        let role = authority(&self.claims, act)?;
        let covers = |claims: &Claims| room.map_or(claims.rooms.is_none(), |room| claims.covers(room.as_str()));
        if covers(&self.claims) && self.relay.as_ref().is_none_or(|relay| covers(&relay.claims)) {
            Ok(role)
        } else {
            Err(Refusal::Forbidden("the token is for other rooms".into()))
        }
    }

    /// Where he came from, if somebody else speaks for him.
    pub(crate) fn relayed_from(&self) -> Option<IpAddr> {
        self.relay.as_ref().map(|relay| relay.address)
    }

    /// His id, by which he is limited.
    pub(crate) fn id(&self) -> &UserId {
        &self.id
    }

    /// By what a ban would know him.
    pub(crate) fn person(&self, address: IpAddr) -> Person<'_> {
        Person {
            user: Some(self.id.as_str()),
            device: self.claims.device.as_deref(),
            address: Some(AddressHash::of(address)),
        }
    }

    /// How the record names him, who speaks from `address`, and what the judge needs to know of him. The address itself is in
    /// no record.
    pub(crate) fn on_record(&self, address: IpAddr) -> v1::Input {
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
            address: AddressHash::of(address).to_string(),
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
        Act::Announce => forbidden("announcements are made with the role service"),
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
        check(&[Service], Act::Announce, Ok(v1::Role::Service));
        check(&[Sender, Moderator, Relay], Act::Announce, Err("forbidden"));
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
        assert_eq!(speaker.may(Act::Say, Some(&room("demo"))), Ok(v1::Role::Sender));
        assert_eq!(speaker.may(Act::Say, Some(&room("other"))).unwrap_err().code(), "forbidden");
        let here = IpAddr::from([192, 0, 2, 1]);
        let record = speaker.on_record(here);
        let user = record.user.unwrap();
        assert_eq!((user.id.as_str(), user.name.as_str(), user.badges.len()), ("u1", "Ann", 8));
        assert_eq!((record.follows_since, record.address), (7, AddressHash::of(here).to_string()));
    }

    #[test]
    fn headers_that_bring_no_token() {
        let verifier = Signer::random_hs256().verifier().unwrap();
        for lines in [&[][..], &["Bearer"], &["Basic abc"], &["Bearer a.b.c", "Bearer a.b.c"], &["Bearer x"]] {
            let refusal = speaker(&headers(lines), &verifier, NOW).unwrap_err();
            assert_eq!(refusal.code(), "unauthorized", "{lines:?}");
        }
    }

    /// A request of a token with `roles`, which passes on `claims` from an address.
    fn passed_on(roles: &[Role], claims: &str, address: &str) -> Result<Speaker, Refusal> {
        let signer = Signer::random_hs256();
        let node = Claims::new("node-1", roles.iter().copied().collect());
        let token = signer.mint(&node, std::time::Duration::from_secs(60), NOW).unwrap();
        let mut headers = headers(&[&format!("Bearer {token}")]);
        for (name, value) in [(HEADER_CLAIMS, claims), (HEADER_ADDRESS, address)] {
            if !value.is_empty() {
                headers.append(name, HeaderValue::from_str(value).unwrap());
            }
        }
        speaker(&headers, &signer.verifier().unwrap(), NOW)
    }

    fn person(roles: &[Role]) -> Claims {
        Claims { exp: NOW + 1, ..Claims::new("u1", roles.iter().copied().collect()) }
    }

    #[test]
    fn a_relay_speaks_for_a_person_and_lends_him_nothing() {
        use Role::{Moderator, Relay, Sender, Service, Viewer};
        let room = RoomId::new("demo").unwrap();
        for (theirs, own, act, expected) in [
            (&[Sender][..], &[Relay][..], Act::Say, Ok(v1::Role::Sender)),
            (&[Moderator], &[Relay], Act::Say, Ok(v1::Role::Moderator)),
            (&[Sender], &[Relay, Moderator, Service], Act::Say, Ok(v1::Role::Sender)),
            (&[Viewer], &[Relay, Sender, Moderator, Service], Act::Say, Err("forbidden")),
            (&[Relay], &[Relay], Act::Say, Err("forbidden")),
            (&[Service], &[Relay, Service], Act::Post, Err("forbidden")),
            (&[Service], &[Relay, Service], Act::Announce, Err("forbidden")),
        ] {
            let speaker = passed_on(own, &person(theirs).to_header(), "::ffff:192.0.2.7").unwrap();
            let may = speaker.may(act, Some(&room)).map_err(|refusal| refusal.code());
            assert_eq!(may, expected, "{theirs:?} through {own:?}: {act:?}");
            assert_eq!((speaker.id().as_str(), speaker.relayed_from()), ("u1", Some([192, 0, 2, 7].into())));
        }
    }

    #[test]
    fn what_a_relay_may_not_pass_on() {
        use Role::{Relay, Sender, Service};
        let good = person(&[Sender]).to_header();
        let expired = Claims { exp: NOW, ..person(&[Sender]) }.to_header();
        let nobody = Claims { sub: "u\n1".into(), ..person(&[Sender]) }.to_header();
        let address = "192.0.2.7";
        for (own, claims, address, code) in [
            (&[Sender, Service][..], &*good, address, "forbidden"),
            (&[Sender], "", address, "malformed"),
            (&[Relay], &*good, "", "malformed"),
            (&[Relay], "", address, "malformed"),
            (&[Relay], "e30", address, "malformed"),
            (&[Relay], &*good, "somewhere", "malformed"),
            (&[Relay], &*expired, address, "unauthorized"),
            (&[Relay], &*nobody, address, "unauthorized"),
        ] {
            let refusal = passed_on(own, claims, address).unwrap_err();
            assert_eq!(refusal.code(), code, "{own:?} {claims} {address}");
        }
        let elsewhere = Claims { rooms: Some(vec!["other".into()]), ..person(&[Sender]) };
        let speaker = passed_on(&[Relay], &elsewhere.to_header(), address).unwrap();
        assert_eq!(speaker.may(Act::Say, Some(&RoomId::new("demo").unwrap())).unwrap_err().code(), "forbidden");
    }
}
