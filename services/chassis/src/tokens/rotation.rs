//! The file of `--keys`, looked at again and again, so that a provider may change its keys while everybody stays.
//! Kept out: what is in it, and what is signed by it.

use std::{path::PathBuf, sync::Arc, time::Duration};

use super::{Verifier, keys};

/// How often the file is looked at. A provider shows a new key well before it signs with it.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// A file, and what was in it at the last look.
struct Rotation {
    path: PathBuf,
    verifier: Arc<Verifier>,
    last: Option<Result<String, String>>,
}

/// What a look came to.
#[derive(Debug, PartialEq, Eq)]
enum Look {
    /// It is as at the last look.
    Same,
    /// What is in it is in force.
    Taken,
    /// It cannot be used, and the keys in force stay.
    Kept(String),
}

impl Rotation {
    fn look(&mut self) -> Look {
        let seen = keys::read(&self.path).map_err(|error| error.to_string());
        if self.last.as_ref() == Some(&seen) {
            return Look::Same;
        }
        let taken = match &seen {
            Ok(jwks) => self.verifier.replace(jwks).map_err(|error| error.to_string()),
            Err(error) => Err(error.clone()),
        };
        self.last = Some(seen);
        taken.map_or_else(Look::Kept, |()| Look::Taken)
    }
}

/// Takes up what the file holds, for ever; the owner of the task ends it.
pub(crate) async fn follow(path: PathBuf, verifier: Arc<Verifier>) {
    let mut rotation = Rotation { path: path.clone(), verifier, last: None };
    let mut looks = tokio::time::interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    // Also at once: it may have changed since it was read for the start.
    let mut is_first = true;
    loop {
        looks.tick().await;
        let looking = tokio::task::spawn_blocking(move || (rotation.look(), rotation));
        let Ok((look, same)) = looking.await else { return };
        rotation = same;
        match look {
            Look::Taken if !is_first => tracing::info!(path = %path.display(), "other keys are in force (--keys)"),
            Look::Kept(error) => {
                tracing::warn!(error, path = %path.display(), "--keys cannot be used, the keys in force stay");
            }
            Look::Same | Look::Taken => {}
        }
        is_first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Claims, Role, Signer, TokenError, tests};
    use super::*;

    const NOW: u64 = 1_000;

    fn token(signer: &Signer) -> String {
        signer.mint(&Claims::new("u1", [Role::Viewer].into_iter().collect()), Duration::from_secs(60), NOW).unwrap()
    }

    #[test]
    fn other_keys_are_taken_up_and_bad_ones_are_not() {
        let path = std::env::temp_dir().join(format!("danmaku-keys-{:016x}", rand::random::<u64>()));
        // Of the old one, tokens are remembered.
        let (old, new) = (Signer::from_jwks(&tests::jwks(&[tests::eddsa_key()])).unwrap(), Signer::random_hs256());
        std::fs::write(&path, old.to_jwks()).unwrap();
        let verifier = Arc::new(Verifier::from_file(&path).unwrap());
        let mut rotation = Rotation { path: path.clone(), verifier: verifier.clone(), last: None };
        let (olds, news) = (token(&old), token(&new));
        assert_eq!((rotation.look(), rotation.look()), (Look::Taken, Look::Same));
        assert!(verifier.verify(&olds, NOW).is_ok());

        std::fs::write(&path, new.to_jwks()).unwrap();
        assert_eq!(rotation.look(), Look::Taken);
        assert!(verifier.verify(&news, NOW).is_ok());
        assert_eq!(verifier.verify(&olds, NOW), Err(TokenError::UnknownKey), "what its key signed is forgotten");
        for bad in ["{", r#"{"keys":[]}"#] {
            std::fs::write(&path, bad).unwrap();
            assert!(matches!(rotation.look(), Look::Kept(_)), "{bad}");
            assert_eq!(rotation.look(), Look::Same, "it is told once");
            assert!(verifier.verify(&news, NOW).is_ok(), "{bad}");
        }
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(rotation.look(), Look::Kept(_)));
        assert!(verifier.verify(&news, NOW).is_ok(), "a file that is gone");

        std::fs::write(&path, old.to_jwks()).unwrap();
        assert_eq!(rotation.look(), Look::Taken);
        assert!(verifier.verify(&olds, NOW).is_ok());
        std::fs::remove_file(&path).unwrap();
    }
}
