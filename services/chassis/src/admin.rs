//! The operator's port: `/livez`, `/readyz`, `/metrics`, `/about`, and whatever a service adds to be looked at.
//! Kept out: anything a client of the service may ask, and anything that changes something.

mod about;
mod pages;
mod readiness;

pub use about::{About, PATH as ABOUT};
pub use pages::{Pages, Query};
pub use readiness::{Condition, NotReady, Note, Noted, Readiness};

use std::net::SocketAddr;
use std::{fmt, io};

use hyper::{Method, StatusCode, Uri};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::http::{self, Refusal, Response};
use crate::listen::{self, Limits};
use crate::shutdown::Shutdown;
use crate::telemetry::Telemetry;

const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Operators and probes: few, and each asks seldom.
const CONNECTIONS_MAX: usize = 256;

/// The pages of an admin port that is not yet served.
#[derive(Clone)]
pub struct Admin {
    readiness: Readiness,
    telemetry: Telemetry,
    pages: Pages,
}

/// An admin port being served; dropping it ends that.
///
/// It is held beyond the drain: probes and scrapes are wanted until the very end.
#[must_use = "dropping it ends the admin port"]
pub struct Served {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Admin {
    /// The three pages every service has, and those that services add.
    #[must_use]
    pub fn new(readiness: Readiness, telemetry: Telemetry, pages: Pages) -> Self {
        Self { readiness, telemetry, pages }
    }

    /// Serves the pages on `listener` until the result is dropped.
    ///
    /// # Errors
    /// When the listener has no address any more.
    pub fn serve(self, listener: TcpListener) -> io::Result<Served> {
        let address = listener.local_addr()?;
        let limits = Limits { connections_max: CONNECTIONS_MAX, ..Limits::default() };
        let serving = listen::serve(listener, Shutdown::new(), limits, move |request, _| {
            let admin = self.clone();
            async move { admin.respond(request.method(), request.uri()).await }
        });
        Ok(Served { address, task: tokio::spawn(serving) })
    }

    async fn respond(&self, method: &Method, uri: &Uri) -> Response {
        if method != Method::GET && method != Method::HEAD {
            return Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "only GET is known here")
                .into_response();
        }
        match uri.path() {
            "/livez" => http::json(StatusCode::OK, &json!({ "alive": true })),
            "/readyz" => ready(&self.readiness),
            "/metrics" => {
                self.readiness.tell();
                http::answer(StatusCode::OK, METRICS_TYPE, self.telemetry.render())
            }
            path => match (self.pages.get(path), http::query(uri.query().unwrap_or_default())) {
                (Some(page), Some(query)) => page(query).await,
                (Some(_), None) => {
                    Refusal::new(StatusCode::BAD_REQUEST, "malformed", "the query cannot be decoded").into_response()
                }
                (None, _) => Refusal::new(StatusCode::NOT_FOUND, "not_found", self.directory()).into_response(),
            },
        }
    }

    fn directory(&self) -> String {
        let paths = ["/livez", "/readyz", "/metrics"].into_iter().chain(self.pages.paths());
        format!("there are {}", paths.collect::<Vec<_>>().join(", "))
    }
}

fn ready(readiness: &Readiness) -> Response {
    let reasons = readiness.not_ready();
    let status = if reasons.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let mut told = json!({ "ready": reasons.is_empty(), "reasons": reasons });
    let notes = readiness.notes();
    if !notes.is_empty() {
        told["notes"] = json!(notes);
    }
    http::json(status, &told)
}

impl Served {
    /// Where it is served, the port chosen if 0 was asked for.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Served").field("address", &self.address).finish_non_exhaustive()
    }
}
