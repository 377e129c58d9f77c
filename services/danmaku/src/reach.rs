//! How a command reaches a service: plainly, or over TLS, where it trusts whom this machine trusts, or the authorities in the file
//! that SSL_CERT_FILE names. Kept out: what is asked, and the crowd, which speaks to its own process.

use std::sync::{Arc, OnceLock};

use anyhow::{Context as _, bail};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Request, Response, Uri, client::conn::http1, header::HOST, http::uri::Scheme};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName},
};

/// A connection, with TLS or without.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// An address of a service: `http://` or `https://`, a host, perhaps a port and a path, and nothing behind it.
pub(crate) fn address(text: &str) -> Result<Uri, String> {
    let like = "an address begins with http:// or https:// and a host, such as http://127.0.0.1:8080";
    let uri: Uri = text.trim_end_matches('/').parse().map_err(|_| like.to_owned())?;
    let is_web = [Some("http"), Some("https")].contains(&uri.scheme_str());
    match uri.authority() {
        Some(authority) if is_web && !authority.as_str().contains('@') && uri.query().is_none() => Ok(uri),
        _ => Err(like.to_owned()),
    }
}

/// Connects to whom an address names.
pub(crate) async fn connect(uri: &Uri) -> anyhow::Result<Box<dyn Stream>> {
    let is_tls = uri.scheme() == Some(&Scheme::HTTPS);
    let host = uri.host().context("an address without a host")?.trim_matches(['[', ']']);
    let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
    let stream = TcpStream::connect((host, port)).await.context("connect")?;
    stream.set_nodelay(true)?;
    if !is_tls {
        return Ok(Box::new(stream));
    }
    let name = ServerName::try_from(host.to_owned()).context("a host that no certificate can name")?;
    let stream = TlsConnector::from(trusting()?)
        .connect(name, stream)
        .await
        .context("TLS (an authority that this machine does not trust is named by SSL_CERT_FILE=<PEM FILE>)")?;
    Ok(Box::new(stream))
}

/// Asks, over a connection of its own, and returns the whole answer.
pub(crate) async fn ask(mut request: Request<Full<Bytes>>) -> anyhow::Result<Response<Bytes>> {
    let stream = connect(request.uri()).await?;
    let host = request.uri().authority().context("an address without a host")?.as_str().parse()?;
    request.headers_mut().insert(HOST, host);
    *request.uri_mut() = request.uri().path_and_query().map_or_else(Uri::default, |path| path.clone().into());
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let answering = async move {
        let (head, body) = sender.send_request(request).await?.into_parts();
        anyhow::Ok(Response::from_parts(head, body.collect().await?.to_bytes()))
    };
    // The connection moves only while it is polled beside the question, and ends when nobody can ask any more.
    let (answer, _) = tokio::join!(answering, connection);
    answer
}

/// The authorities are read once, and only by who needs them: a machine that speaks plainly may have none.
fn trusting() -> anyhow::Result<Arc<ClientConfig>> {
    static READ: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = READ.get() {
        return Ok(Arc::clone(config));
    }
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    if roots.add_parsable_certificates(found.certs).0 == 0 {
        let why = found.errors.first().map(|error| format!(" ({error})")).unwrap_or_default();
        bail!("no certificate authorities{why}; install ca-certificates, or name a PEM file in SSL_CERT_FILE");
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::clone(READ.get_or_init(|| Arc::new(config))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for good in
            ["http://gateway", "http://127.0.0.1:8080/", "https://[::1]:8082", "https://live.example/moderation/"]
        {
            assert!(address(good).is_ok(), "{good}");
        }
        for bad in ["gateway:80", "/x", "ftp://a", "http://a?b", "http://ann:secret@a", "https://", ""] {
            assert!(address(bad).is_err_and(|why| why.contains("https://")), "{bad}");
        }
    }
}
