//! Who somebody is, as the platform signed it: JSON Web Tokens checked against a JWKS file.
//! Kept out: what a role may do (each service decides) and where a token stands in a request.
//!
//! The algorithm belongs to the key, never to the token. There is no leeway: a token is good before its `exp` and from
//! its `nbf` on, to the second, so clocks must agree better than tokens are short. Time is an argument.

mod claims;
mod keys;
mod memory;
mod relayed;
mod rotation;
mod signer;

pub use claims::{Claims, Role, Roles};
pub use keys::KeysError;
pub use relayed::{HEADER_ADDRESS, HEADER_CLAIMS};
pub(crate) use rotation::follow;
pub use signer::{Signer, SignerError};

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::IgnoredAny;

use keys::Key;
use memory::Memory;

/// A token with every claim we know takes under 1 KiB; eight leave room for what a platform adds.
const TOKEN_BYTES_MAX: usize = 8 * 1024;

/// Why a token is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum TokenError {
    /// Over 8 KiB.
    #[error("the token is too long")]
    TooLong,
    /// Not three parts of base64url, not JSON inside, a claim of a wrong type, or a critical header we do not know.
    #[error("the token is malformed")]
    Malformed,
    /// No key has its `kid`, or it has none and the keys leave a choice.
    #[error("the token's key is not known here")]
    UnknownKey,
    /// It wants another algorithm than its key's; `none` is always another.
    #[error("the token's algorithm is not its key's")]
    WrongAlgorithm,
    /// It was not signed with that key, or was changed since.
    #[error("the token's signature does not fit")]
    BadSignature,
    /// It has no `sub`, or an empty one.
    #[error("the token names nobody: sub is missing")]
    MissingSub,
    /// It would never end.
    #[error("the token would never end: exp is missing")]
    MissingExp,
    /// Its `exp` has come.
    #[error("the token has expired")]
    Expired,
    /// Its `nbf` has not come yet.
    #[error("the token is not valid yet")]
    NotYetValid,
}

/// Checks tokens against the keys in force.
#[derive(Debug, Default)]
pub struct Verifier {
    in_force: RwLock<Arc<Keys>>,
}

/// A set of keys, and the tokens it was found to have signed: who loses the one forgets the other.
#[derive(Debug, Default)]
struct Keys {
    keys: Vec<Key>,
    memory: Memory,
}

/// What a token's header may decide: which key. Its algorithm is only compared.
#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    crit: Option<IgnoredAny>,
    b64: Option<IgnoredAny>,
}

impl Verifier {
    /// A verifier without keys, to which every token's key is unknown.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Reads the keys from a JWKS file.
    ///
    /// # Errors
    /// When the file cannot be read, or one of its keys cannot be used; the text says which and why.
    pub fn from_file(path: &Path) -> Result<Self, KeysError> {
        Self::from_jwks(&keys::read(path)?)
    }

    /// Reads the keys from the text of a JWKS.
    ///
    /// # Errors
    /// As [`from_file`](Self::from_file).
    pub fn from_jwks(text: &str) -> Result<Self, KeysError> {
        let verifier = Self::empty();
        verifier.replace(text)?;
        Ok(verifier)
    }

    /// Puts the keys of a JWKS in the place of those in force; on an error these stay.
    ///
    /// # Errors
    /// As [`from_file`](Self::from_file).
    pub(crate) fn replace(&self, jwks: &str) -> Result<(), KeysError> {
        let keys = keys::parse(jwks)?.iter().map(Key::from_jwk).collect::<Result<_, _>>()?;
        let fresh = Arc::new(Keys { keys, memory: Memory::default() });
        *self.in_force.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    /// What the token says about who brings it, if it is to be believed at `now_secs` (Unix time).
    ///
    /// An asymmetric signature costs far more to check than a hash to take, so such a token is remembered until it
    /// expires; one of HS256 costs about what looking it up would.
    ///
    /// # Errors
    /// The first reason found; nothing in the token is looked at before its signature fits.
    pub fn verify(&self, token: &str, now_secs: u64) -> Result<Arc<Claims>, TokenError> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(TokenError::TooLong);
        }
        let (message, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
        let (header, payload) = message.split_once('.').ok_or(TokenError::Malformed)?;
        let keys = self.in_force.read().unwrap_or_else(PoisonError::into_inner).clone();
        let key = keys.key(&json(header)?)?;
        let claims = if key.is_symmetric() {
            authentic(key, message, signature, payload)?
        } else {
            keys.memory.recall_or(token, now_secs, || authentic(key, message, signature, payload))?
        };
        claims.check_time(now_secs)?;
        Ok(claims)
    }
}

impl Keys {
    /// The token's key, which has to be of the algorithm the token wants.
    fn key(&self, header: &Header) -> Result<&Key, TokenError> {
        if header.crit.is_some() || header.b64.is_some() {
            return Err(TokenError::Malformed);
        }
        let key = match &header.kid {
            Some(kid) => self.keys.iter().find(|key| key.kid.as_deref() == Some(kid)),
            None if self.keys.len() == 1 => self.keys.first(),
            None => None,
        };
        let key = key.ok_or(TokenError::UnknownKey)?;
        if key.algorithm_name() == header.alg { Ok(key) } else { Err(TokenError::WrongAlgorithm) }
    }
}

fn authentic(key: &Key, message: &str, signature: &str, payload: &str) -> Result<Arc<Claims>, TokenError> {
    if !key.signed(message, signature) {
        return Err(TokenError::BadSignature);
    }
    let claims: claims::Raw = json(payload)?;
    claims.try_into().map(Arc::new)
}

/// Reads one part. What is unknown is passed over without being stored, and without a stack that grows with its depth.
fn json<T: for<'de> Deserialize<'de>>(part: &str) -> Result<T, TokenError> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Malformed)?;
    serde_json::from_slice(&bytes).map_err(|_| TokenError::Malformed)
}

#[cfg(test)]
mod tests;
