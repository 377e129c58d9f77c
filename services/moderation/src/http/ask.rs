//! What handlers take from a request: who asks, of which scope, with which words. Each that is missing or wrong is a refusal.

use std::sync::Arc;

use axum::{
    extract::{FromRequest, FromRequestParts, Query, Request},
    http::request::Parts,
};
use chassis::http::is_json;
use hyper::header::IF_MATCH;
use proto::{RoomId, rules::Scope};
use serde::de::DeserializeOwned;

use super::Home;
use crate::{
    access::{Act, Caller},
    house::House,
    refusal::Refusal,
};

/// The house, and who asks in it.
pub(crate) struct Here {
    pub(crate) house: Arc<House>,
    pub(crate) caller: Caller,
    /// The version in `If-Match`.
    if_match: Option<i64>,
}

impl Here {
    /// The scope that `room` names, if the caller may do this there.
    pub(crate) fn scope(&self, room: Option<&str>, act: Act) -> Result<Scope, Refusal> {
        let scope = match room {
            None => Scope::Global,
            Some(room) => Scope::Room(RoomId::new(room).map_err(|why| Refusal::BadRoom(why.to_string()))?),
        };
        self.caller.may(act, &scope)?;
        Ok(scope)
    }

    /// The version that the caller has seen, as the header or the body says.
    pub(crate) fn base(&self, said: Option<i64>) -> Option<i64> {
        self.if_match.or(said)
    }
}

impl FromRequestParts<Home> for Here {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, home: &Home) -> Result<Self, Refusal> {
        let house = home.upgrade().ok_or_else(|| Refusal::Unavailable("the service is leaving".to_owned()))?;
        let caller = parts.extensions.get::<Caller>().cloned();
        let caller = caller.ok_or_else(|| Refusal::Unauthorized("a bearer token is needed".to_owned()))?;
        let if_match = parts.headers.get(IF_MATCH).map(|value| {
            let number = value.to_str().ok().and_then(|text| text.trim_matches('"').parse().ok());
            number.ok_or_else(|| Refusal::Malformed("If-Match is the number of a version".to_owned()))
        });
        Ok(Self { house, caller, if_match: if_match.transpose()? })
    }
}

/// The query.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        // No text of ours holds one, and PostgreSQL takes none.
        if parts.uri.query().is_some_and(|query| query.contains("%00")) {
            return Err(Refusal::Malformed("the query holds a NUL".to_owned()));
        }
        let query = Query::<T>::try_from_uri(&parts.uri);
        query.map(|Query(params)| Self(params)).map_err(|error| Refusal::Malformed(error.body_text()))
    }
}

/// A part of the path.
pub(crate) struct Named(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let path = axum::extract::Path::<String>::from_request_parts(parts, state).await;
        path.map(|axum::extract::Path(name)| Self(name)).map_err(|error| Refusal::Malformed(error.body_text()))
    }
}

/// A JSON body.
pub(crate) struct Said<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Said<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        if !is_json(request.headers()) {
            return Err(Refusal::UnsupportedType("the body must be application/json".to_owned()));
        }
        let bytes = bytes::Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|error| Refusal::Malformed(error.body_text()))?;
        serde_json::from_slice(&bytes)
            .map(Self)
            .map_err(|error| Refusal::Malformed(format!("not as described: {error}")))
    }
}
