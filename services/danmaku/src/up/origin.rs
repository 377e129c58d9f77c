//! One origin for everything a viewer needs: which of the services a request is for. Pages, and what is for development, are beside
//! them.

use std::{net::SocketAddr, sync::Arc};

use chassis::http::Response;
use fanout::Hall;
use hyper::{Request, body::Incoming};
use ingest::Door;
use moderation::House;

use super::Services;
use crate::dev::{self, Dev};

/// Who may be asked.
#[derive(Clone)]
pub(super) struct Origin {
    door: Arc<Door>,
    hall: Arc<Hall>,
    house: Arc<House>,
    dev: Option<Arc<Dev>>,
}

impl Origin {
    /// These services, and `dev` if this is a first look.
    pub(super) fn of(services: &Services, dev: Option<Dev>) -> Self {
        Self {
            door: Arc::clone(&services.door),
            hall: Arc::clone(&services.hall),
            house: Arc::clone(&services.house),
            dev: dev.map(Arc::new),
        }
    }

    /// Has the right one answer.
    pub(super) async fn answer(&self, request: Request<Incoming>, peer: SocketAddr) -> Response {
        let path = request.uri().path();
        if moderation::serves(path) {
            return self.house.handle(request, peer).await;
        }
        if ingest::serves(path) {
            return self.door.handle(request, peer).await;
        }
        if path.starts_with("/v1/") || path == fanout::GOIM_PATH {
            return self.hall.handle(request, peer).await;
        }
        if path.starts_with("/dev/") {
            return dev::answer(&request, peer, self.dev.as_deref());
        }
        web::file(&request)
    }
}
