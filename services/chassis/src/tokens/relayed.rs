//! Somebody's verified claims, as one of our services passes them on to another: a header of base64url JSON.
//! Kept out: whether who passes them on is to be believed, which his own token says.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::{Claims, TOKEN_BYTES_MAX, TokenError, json};

/// The header that holds the claims of the one who is spoken for.
pub const HEADER_CLAIMS: &str = "danmaku-claims";

/// The header that holds the address he came from.
pub const HEADER_ADDRESS: &str = "danmaku-address";

impl Claims {
    /// The claims as a header's value.
    #[must_use]
    pub fn to_header(&self) -> String {
        // Texts, numbers and lists of them can always be written; what could not would be malformed to who reads it.
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    /// The claims in a header's value. Their time is still to be checked.
    ///
    /// # Errors
    /// [`TokenError::TooLong`] above what a token may have, [`TokenError::Malformed`] for what is no claims, and what a
    /// token without `sub` or `exp` is told.
    pub fn from_header(value: &str) -> Result<Self, TokenError> {
        if value.len() > TOKEN_BYTES_MAX {
            return Err(TokenError::TooLong);
        }
        json::<super::claims::Raw>(value)?.try_into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Role;
    use super::*;

    #[test]
    fn claims_read_back_as_they_were() {
        let mut claims = Claims::new("idp/42", [Role::Viewer, Role::Sender].into_iter().collect());
        (claims.name, claims.level, claims.exp) = ("小明".into(), 7, 1_800_000_000);
        claims.badges = vec!["fan".into()];
        claims.rooms = Some(vec!["demo".into()]);
        (claims.follows_since, claims.account_since, claims.not_before) = (Some(3), Some(2), Some(1));
        claims.device = Some("d1".into());
        assert_eq!(Claims::from_header(&claims.to_header()), Ok(claims));
    }

    #[test]
    fn what_is_no_claims() {
        let encoded = |text: &str| URL_SAFE_NO_PAD.encode(text);
        for (value, why) in [
            (String::new(), TokenError::Malformed),
            ("not base64!".into(), TokenError::Malformed),
            (encoded("[]"), TokenError::Malformed),
            (encoded(r#"{"sub":"u1","roles":"sender","exp":1}"#), TokenError::Malformed),
            (encoded(r#"{"exp":1}"#), TokenError::MissingSub),
            (encoded(r#"{"sub":"u1"}"#), TokenError::MissingExp),
            ("A".repeat(TOKEN_BYTES_MAX + 1), TokenError::TooLong),
        ] {
            assert_eq!(Claims::from_header(&value), Err(why), "{value:.40}");
        }
    }
}
