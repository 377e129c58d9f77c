//! Pages and chunks in the database, each under the hash of its bytes. What they hold is kept out.

use judge::book::chunks::Hash;
use proto::rules::HASH_BYTES;

use crate::{audit::hex, lists::page::Blob, store::Error};

/// Writes those that are not there yet.
pub(super) async fn keep(blobs: &[Blob], connection: &mut sqlx::AnyConnection) -> Result<(), Error> {
    for blob in blobs {
        sqlx::query("INSERT INTO blobs (hash, packed) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING")
            .bind(hex(&blob.hash))
            .bind(blob.packed.to_vec())
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Reads one.
pub(super) async fn read(hash: &Hash, connection: &mut sqlx::AnyConnection) -> Result<Vec<u8>, Error> {
    let (packed,): (Vec<u8>,) =
        sqlx::query_as("SELECT packed FROM blobs WHERE hash = $1").bind(hex(hash)).fetch_one(connection).await?;
    Ok(packed)
}

/// A hash that was written in hexadecimal.
pub(super) fn hash(text: &str) -> Option<Hash> {
    let mut hash = [0; HASH_BYTES];
    if text.len() != 2 * HASH_BYTES || !text.is_ascii() {
        return None;
    }
    for (byte, at) in hash.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(hash)
}
