//! What the services stand on: a folder, a broker, named or embedded, keys for tokens, and where they are reached. What they make of
//! it is kept out.

use std::{net::SocketAddr, path::Path, sync::Arc};

use anyhow::Context as _;
use chassis::{
    kafka::{Cluster, Embedded, TopicSpec},
    program::{self, Program},
    settings::Common,
    tokens::{Signer, Verifier},
};
use proto::{Topic, topics::OUTPUT_RETENTION_MS};

/// Makes the folder if it is not there, and a file in it, for a moment.
pub(super) fn folder(folder: &Path) -> anyhow::Result<()> {
    let written = || {
        std::fs::create_dir_all(folder)?;
        let file = folder.join(format!(".written-{}", std::process::id()));
        std::fs::write(&file, "")?;
        std::fs::remove_file(&file)
    };
    written().with_context(|| {
        format!("--data (DANMAKU_DATA): nothing can be written in {}; give --data <FOLDER>", folder.display())
    })
}

/// The broker: the one named, or an embedded one with its topics.
pub(super) fn broker(common: &Common) -> anyhow::Result<(Option<Embedded>, Cluster)> {
    if common.brokers.is_some() {
        return Ok((None, program::cluster(common)?));
    }
    let topics: Vec<TopicSpec> = Topic::ALL
        .iter()
        .map(|topic| topic.described(&common.topic_prefix, common.partitions, OUTPUT_RETENTION_MS).into())
        .collect();
    let embedded = Embedded::start(topics).context("the embedded broker did not start")?;
    let cluster = embedded.cluster();
    Ok((Some(embedded), cluster))
}

/// Who can sign tokens here, and who checks them.
pub(super) fn keys(file: Option<&Path>) -> anyhow::Result<(Option<Arc<Signer>>, Verifier)> {
    let signer = signer(file);
    let verifier = match (&signer, file) {
        (Some(signer), None) => signer.verifier()?,
        _ => program::verifier(file)?,
    };
    Ok((signer, verifier))
}

/// Who can sign tokens here: a key of the file if it holds a private one, a random key where no file is named (which only
/// the embedded broker allows).
fn signer(file: Option<&Path>) -> Option<Arc<Signer>> {
    match file {
        // A file of public keys only is right for production; then nobody here can sign, and the crowd stays away. What is
        // wrong with a file the verifier says, which reads it next.
        Some(path) => Signer::from_file(path).ok().map(Arc::new),
        None => Some(Arc::new(Signer::random_hs256())),
    }
}

/// Where this machine reaches what the program serves.
pub(super) fn door(program: &Program) -> anyhow::Result<SocketAddr> {
    let mut address = program.public_address().context("no public port")?;
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    Ok(address)
}
