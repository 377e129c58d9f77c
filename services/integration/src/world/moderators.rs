//! Who moderates a river, and those whose devices moderators know.

use std::time::Duration;

use chassis::tokens::{Claims, Role};

use super::World;
use crate::{moderator::Moderator, node::Node, sender::Sender};

impl World {
    /// Starts a moderators' service.
    pub async fn moderation(&self, flags: &[&str]) -> Node {
        self.start("moderation", flags).await
    }

    /// Somebody who may send, at a door; his token names his device.
    pub fn sender_on(&self, ingest: &Node, user: &str, device: &str) -> Sender {
        let token = self.token_on(user, device, &[Role::Viewer, Role::Sender]);
        Sender { door: ingest.address(), token, http: self.http.clone() }
    }

    /// Somebody who moderates, with these roles.
    pub fn moderator(&self, desk: &Node, user: &str, roles: &[Role]) -> Moderator {
        let token = self.token(user, roles);
        Moderator { desk: desk.address(), token, http: self.http.clone() }
    }

    /// A token for `user` on a device, good for a day.
    ///
    /// # Panics
    /// Never for a signer that was made.
    pub fn token_on(&self, user: &str, device: &str, roles: &[Role]) -> String {
        let claims = Claims::new(user, roles.iter().copied().collect());
        self.mint(&Claims { device: Some(device.to_owned()), ..claims }, Duration::from_secs(86_400))
    }
}
