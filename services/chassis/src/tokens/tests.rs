//! Which tokens are believed. RS256 and ES256 tokens were made elsewhere and are here with their public keys alone.

use std::time::Duration;

use jsonwebtoken::{Algorithm, EncodingKey, jwk};
use serde_json::{Value, json};

use super::*;

const RS256_N: &str = "zoJ4VZ_NdfqR10YurB9Kh7Dbr-l435B-2jGg1mSsrCwXKIx-RQSigH5G1PPXlYTXkMpQEpFOpQvL84FNgzmmvMKSmTKiC0vQjLLWUzG7P5M9GpOR6Jl80euUXhQBEhVBnfzLPAar3gYUJfIuc5L9nOu5wzFz0IZKkg0w77GFtSv0SvomccUWk5Zq53dc0lJxP9-gAjxbdSfBYthDkn0MfIs8hrMe4ZbdfqQvH4zSM03F2AH4oVjOyI_aOTePf3Om3ehgJr9RIOA5DqRK5KH-dp3FONQhWhPBDOnsuOQRzmC6WMNZJVdSkg6JMxaK6UO4lvJ8ZnHN-Ni9rTcyD0pTmQ";
const RS256_TOKEN: &str = "eyJhbGciOiJSUzI1NiIsImtpZCI6IlJTMjU2In0.eyJzdWIiOiJ1MSIsInJvbGVzIjpbInZpZXdlciJdLCJleHAiOjIwMDB9.OWpJ2fbG_ofE6KQaPp4_SywnYrOMQk7JRBeSiANzoXwk5kXpEabmGarZR1raTFrM7oZrEsuZ7CFHe9p6TW4aLLQwRxQ2SkFQcd8gr6clAUYytFnQKGns6talcw5Otb8sMWZKt3OBIFpeu96xgD9okB3h1m6OpHngLqt8wLN8iMG4aPWHNdYpYVjiPYRJne_eNwysdafICvPgEXctgD_YsMSYSktW-_c3IRV7GrLToMCjaTltWPjW-__x8B6ex59ePkZGNDpFrtZ1eBZySr4JKQf5gJTKPJLnczRzvT9KaylYpE4UPREju5TDbSvt0Kt53A5Y6X4uV6RfLPgeaE9Cgw";
const ES256_X: &str = "_WVhrl-89X1fijq8dkSXuumNvGeqQ_1g0qROtJRO_mI";
const ES256_Y: &str = "GlldFUnqv4uYIf4M_X7NF1tQqcdp0MSd831Gpx730_c";
const ES256_TOKEN: &str = "eyJhbGciOiJFUzI1NiIsImtpZCI6IkVTMjU2In0.eyJzdWIiOiJ1MSIsInJvbGVzIjpbInZpZXdlciJdLCJleHAiOjIwMDB9.-YEBLDShbtFT2AwD1s8-m0FVYNY1DIfqY7N1FCVDjZjXvQ9Cf8oNRTVc0pzwXNOU1XAoPDIj4qcez4d4gsPShg";

const SECRET: [u8; 32] = [7; 32];
const NOW: u64 = 1_000;

fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn hs256_key() -> Value {
    json!({ "kty": "oct", "alg": "HS256", "kid": "HS256", "k": b64(SECRET) })
}

pub(super) fn eddsa_key() -> Value {
    let private = [9_u8; 32];
    let der = [&b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20"[..], &private].concat();
    let public = jwk::Jwk::from_encoding_key(&EncodingKey::from_ed_der(&der), Algorithm::EdDSA).unwrap();
    let mut key = serde_json::to_value(public).unwrap();
    key["kid"] = "EdDSA".into();
    key["d"] = b64(private).into();
    key
}

fn es256_key() -> Value {
    json!({ "kty": "EC", "alg": "ES256", "kid": "ES256", "crv": "P-256", "x": ES256_X, "y": ES256_Y })
}

fn rs256_key() -> Value {
    json!({ "kty": "RSA", "alg": "RS256", "kid": "RS256", "n": RS256_N, "e": "AQAB" })
}

pub(super) fn jwks(keys: &[Value]) -> String {
    json!({ "keys": keys }).to_string()
}

fn verifier(keys: &[Value]) -> Verifier {
    Verifier::from_jwks(&jwks(keys)).unwrap()
}

/// A token of any header and any payload, signed with the HS256 key.
fn forged(header: &Value, payload: &str) -> String {
    let message = format!("{}.{}", b64(header.to_string()), b64(payload));
    let key = EncodingKey::from_secret(&SECRET).unwrap();
    let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &key, Algorithm::HS256).unwrap();
    format!("{message}.{signature}")
}

fn payload_verdict(payload: &str) -> Result<Arc<Claims>, TokenError> {
    verifier(&[hs256_key()]).verify(&forged(&json!({ "alg": "HS256" }), payload), NOW)
}

#[test]
fn every_algorithm_is_believed_by_its_own_key() {
    let verifier = verifier(&[hs256_key(), eddsa_key(), es256_key(), rs256_key()]);
    let claims = Claims::new("u1", Roles::from_iter([Role::Viewer]));
    let minted = |key| Signer::from_jwks(&jwks(&[key])).unwrap().mint(&claims, Duration::from_secs(1000), NOW).unwrap();
    for token in [&minted(hs256_key()), &minted(eddsa_key()), ES256_TOKEN, RS256_TOKEN] {
        for _ in 0..2 {
            let believed = verifier.verify(token, NOW).unwrap();
            assert_eq!((believed.sub.as_str(), believed.exp), ("u1", 2000));
            assert!(believed.has(Role::Viewer) && !believed.has(Role::Sender));
        }
        assert_eq!(verifier.verify(token, 2000), Err(TokenError::Expired), "remembered or not");
        let (message, signature) = token.rsplit_once('.').unwrap();
        let (header, _) = message.split_once('.').unwrap();
        let changed = b64(r#"{"sub":"u2","exp":2000}"#);
        let changed = format!("{header}.{changed}.{signature}");
        assert_eq!(verifier.verify(&changed, NOW), Err(TokenError::BadSignature));
    }
}

#[test]
fn the_algorithm_is_the_keys_and_not_the_tokens() {
    let verifier = verifier(&[hs256_key(), rs256_key()]);
    for alg in ["none", "None", "", "HS384", "RS256", "ES256"] {
        let token = forged(&json!({ "alg": alg, "kid": "HS256" }), r#"{"sub":"u1","exp":2000}"#);
        assert_eq!(verifier.verify(&token, NOW), Err(TokenError::WrongAlgorithm), "{alg}");
    }
    // The public key's text as an HMAC secret is the classic.
    let token = forged(&json!({ "alg": "HS256", "kid": "RS256" }), r#"{"sub":"u1","exp":2000}"#);
    assert_eq!(verifier.verify(&token, NOW), Err(TokenError::WrongAlgorithm));
}

#[test]
fn the_kid_selects_and_only_a_single_key_needs_none() {
    let payload = r#"{"sub":"u1","exp":2000}"#;
    let (named, unnamed) = (json!({ "alg": "HS256", "kid": "other" }), json!({ "alg": "HS256" }));
    let (one, two) = (verifier(&[hs256_key()]), verifier(&[hs256_key(), rs256_key()]));
    assert_eq!(one.verify(&forged(&named, payload), NOW), Err(TokenError::UnknownKey));
    assert!(one.verify(&forged(&unnamed, payload), NOW).is_ok());
    assert_eq!(two.verify(&forged(&unnamed, payload), NOW), Err(TokenError::UnknownKey));
    assert_eq!(Verifier::empty().verify(&forged(&unnamed, payload), NOW), Err(TokenError::UnknownKey));
}

#[test]
fn critical_headers_we_do_not_know_are_refused() {
    for header in [json!({ "alg": "HS256", "crit": ["exp"] }), json!({ "alg": "HS256", "b64": false })] {
        let token = forged(&header, r#"{"sub":"u1","exp":2000}"#);
        assert_eq!(verifier(&[hs256_key()]).verify(&token, NOW), Err(TokenError::Malformed), "{header}");
    }
}

#[test]
fn shapes_that_are_no_token_are_malformed() {
    let verifier = verifier(&[hs256_key()]);
    for token in ["", ".", "..", "a.b", "a.b.c", "弹.幕.弹", "e30.e30.e30", "bnVsbA.e30.", "e30=.e30.e30"] {
        assert_eq!(verifier.verify(token, NOW), Err(TokenError::Malformed), "{token}");
    }
    let four = format!("{}.x", forged(&json!({ "alg": "HS256" }), r#"{"sub":"u1","exp":2000}"#));
    assert_eq!(verifier.verify(&four, NOW), Err(TokenError::BadSignature));
    assert_eq!(verifier.verify(&"a".repeat(TOKEN_BYTES_MAX + 1), NOW), Err(TokenError::TooLong));
}

#[test]
fn claims_are_required_typed_and_dated() {
    for (payload, error) in [
        (r#"{"sub":"u1"}"#, TokenError::MissingExp),
        (r#"{"sub":"u1","exp":null}"#, TokenError::MissingExp),
        (r#"{"exp":2000}"#, TokenError::MissingSub),
        (r#"{"sub":"","exp":2000}"#, TokenError::MissingSub),
        (r#"{"sub":"u1","exp":1000}"#, TokenError::Expired),
        (r#"{"sub":"u1","exp":0}"#, TokenError::Expired),
        (r#"{"sub":"u1","exp":2000,"nbf":1001}"#, TokenError::NotYetValid),
        (r#"{"sub":"u1","exp":"2000"}"#, TokenError::Malformed),
        (r#"{"sub":"u1","exp":-1}"#, TokenError::Malformed),
        (r#"{"sub":"u1","exp":1e300}"#, TokenError::Malformed),
        (r#"{"sub":"u1","exp":2000,"exp":3000}"#, TokenError::Malformed),
        (r#"{"sub":7,"exp":2000}"#, TokenError::Malformed),
        (r#"{"sub":"u1","exp":2000,"roles":"moderator"}"#, TokenError::Malformed),
        (r#"{"sub":"u1","exp":2000,"level":-1}"#, TokenError::Malformed),
        ("[]", TokenError::Malformed),
        ("", TokenError::Malformed),
    ] {
        assert_eq!(payload_verdict(payload), Err(error), "{payload:.80}");
    }
    for payload in
        [r#"{"sub":"u1","exp":1001}"#, r#"{"sub":"u1","exp":1001.9}"#, r#"{"sub":"u1","exp":1001,"nbf":1000}"#]
    {
        assert_eq!(payload_verdict(payload).unwrap().exp, 1001, "{payload}");
    }
}

#[test]
fn depth_costs_nothing() {
    let nested = format!("{}{}", "[".repeat(2500), "]".repeat(2500));
    assert!(payload_verdict(&format!(r#"{{"sub":"u1","exp":2000,"x":{nested}}}"#)).is_ok(), "passed over");
    let known = payload_verdict(&format!(r#"{{"sub":"u1","exp":2000,"rooms":{nested}}}"#));
    assert_eq!(known, Err(TokenError::Malformed));
}

#[test]
fn all_claims_are_read_and_unknown_ones_passed_over() {
    let payload = json!({
        "sub": "u1", "name": "小明", "level": 12, "badges": ["fan"], "roles": ["sender", "moderator", "emperor"],
        "rooms": ["a"], "follows_since": 5, "account_since": 6, "device": "d", "exp": 2000, "iss": {}, "aud": 3,
    });
    let claims = payload_verdict(&payload.to_string()).unwrap();
    let expected = Claims {
        name: "小明".into(),
        level: 12,
        badges: vec!["fan".into()],
        rooms: Some(vec!["a".into()]),
        follows_since: Some(5),
        account_since: Some(6),
        device: Some("d".into()),
        exp: 2000,
        ..Claims::new("u1", Roles::from_iter([Role::Sender, Role::Moderator]))
    };
    assert_eq!(*claims, expected);
    assert!(claims.covers("a") && !claims.covers("b") && Claims::new("u", Roles::default()).covers("b"));
    let relayed: Claims = serde_json::from_str(&serde_json::to_string(&expected).unwrap()).unwrap();
    assert_eq!(relayed, expected);
}

#[test]
fn keys_that_cannot_be_used_are_named_with_the_reason() {
    let with = |mut key: Value, part: &str, value: Value| {
        key[part] = value;
        jwks(&[key])
    };
    for (text, reason) in [
        (with(hs256_key(), "alg", Value::Null), "key 1 (`HS256`) of the JWKS: it names no algorithm"),
        (with(hs256_key(), "alg", "RS256".into()), "kty `oct` and crv `none` cannot be for RS256"),
        (with(hs256_key(), "alg", "HS512".into()), "algorithm HS512 is not supported"),
        (with(hs256_key(), "k", b64([1; 31]).into()), "its part `k` has 31 bytes; it needs 32"),
        (with(eddsa_key(), "x", b64([1; 31]).into()), "its part `x` has 31 bytes"),
        (with(es256_key(), "y", ES256_X.into()), "key 1 (`ES256`) of the JWKS: "),
        (with(es256_key(), "crv", "P-384".into()), "cannot be for ES256"),
        (with(rs256_key(), "n", b64([1; 128]).into()), "its part `n` has 128 bytes"),
        (with(rs256_key(), "e", Value::Null), "its part `e` is missing"),
        (with(rs256_key(), "e", "!".into()), "its part `e` is not base64url"),
        (jwks(&[hs256_key(), hs256_key()]), "two keys have the kid `HS256`"),
        (jwks(&[]), "holds no key"),
        (with(rs256_key(), "use", "enc".into()), "holds no key"),
        ("[]".into(), "not a JWKS"),
    ] {
        let error = Verifier::from_jwks(&text).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    assert!(
        Verifier::from_file(Path::new("/nowhere/keys.json")).unwrap_err().to_string().contains("/nowhere/keys.json")
    );
}

#[test]
fn a_file_that_cannot_be_keys_is_told_once_and_not_read_whole() {
    let name = format!("chassis-keys-{}-{:x}.large", std::process::id(), rand::random::<u64>());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, vec![b' '; (1 << 20) + 1]).unwrap();
    let error = Verifier::from_file(&path).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(error.contains("larger than 1 MiB"), "{error}");
    let error: &dyn std::error::Error = &Verifier::from_file(Path::new("/nowhere/keys.json")).unwrap_err();
    assert!(error.source().is_none(), "the sentence holds its cause already, and a chain would repeat it");
}

#[test]
fn separate_processes_share_a_saved_key() {
    let path =
        std::env::temp_dir().join(format!("chassis-keys-{}-{:x}.json", std::process::id(), rand::random::<u64>()));
    let signer = Signer::random_hs256();
    signer.save(&path).unwrap();
    assert!(signer.save(&path).is_err(), "a key in use is not overwritten");
    let (theirs, verifier) = (Signer::from_file(&path).unwrap(), Verifier::from_file(&path).unwrap());
    std::fs::remove_file(&path).unwrap();
    for signer in [&signer, &theirs] {
        let token = signer.mint(&Claims::new("u1", Roles::default()), Duration::from_secs(60), NOW).unwrap();
        assert_eq!(verifier.verify(&token, NOW + 59).unwrap().exp, NOW + 60);
    }
    let stranger = Signer::random_hs256().mint(&Claims::new("u1", Roles::default()), Duration::from_secs(60), NOW);
    assert_eq!(verifier.verify(&stranger.unwrap(), NOW), Err(TokenError::UnknownKey));
    assert!(!format!("{signer:?} {verifier:?}").contains(&signer.to_jwks()[60..90]));
}

#[test]
fn a_public_key_alone_signs_nothing() {
    assert!(Signer::from_jwks(&jwks(&[rs256_key(), es256_key()])).is_err());
    let mut public = eddsa_key();
    public["d"] = Value::Null;
    assert!(Signer::from_jwks(&jwks(&[public])).unwrap_err().to_string().contains("`d` is missing"));
}
