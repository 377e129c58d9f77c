//! A WebSocket server as one writes it with hyper and fastwebsockets, a task a connection: what connecting costs there.
//!
//! A process of its own: `hall plain`; it ends with its standard input.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::{Request, Response, StatusCode, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// Its whole life.
pub(crate) fn run() -> anyhow::Result<()> {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let serving = http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(upgrade));
            tokio::spawn(serving.with_upgrades());
        }
    })
}

async fn upgrade(mut request: Request<Incoming>) -> Result<Response<Empty<Bytes>>, Infallible> {
    let Ok((response, websocket)) = fastwebsockets::upgrade::upgrade(&mut request) else {
        let mut response = Response::new(Empty::new());
        *response.status_mut() = StatusCode::BAD_REQUEST;
        return Ok(response);
    };
    tokio::spawn(async move {
        let mut websocket = websocket.await.ok()?;
        while websocket.read_frame().await.is_ok_and(|frame| frame.opcode != fastwebsockets::OpCode::Close) {}
        Some(())
    });
    Ok(response)
}
