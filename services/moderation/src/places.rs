//! Places for what takes long: there are so many, and the next one waits. What is done in them is kept out.

use std::sync::Arc;

use tokio::{
    sync::{OwnedSemaphorePermit as Place, Semaphore},
    task::spawn_blocking,
};

use crate::refusal::Refusal;

/// Waits for a place.
///
/// # Errors
/// [`Refusal::Unavailable`] when there will be none any more.
pub(crate) async fn wait(places: &Arc<Semaphore>) -> Result<Place, Refusal> {
    let place = Arc::clone(places).acquire_owned().await;
    place.map_err(|_| Refusal::Unavailable("the service is leaving".to_owned()))
}

/// Does `work` in a place, and gives it back with the outcome. It is taken until the work is done, also when whoever asked for
/// it is gone: a thread that computes is not ended.
///
/// # Errors
/// [`Refusal::Unavailable`] when the work broke off, which is `named` so.
pub(crate) async fn work<T: Send + 'static>(
    place: Place,
    named: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<(T, Place), Refusal> {
    let done = spawn_blocking(move || (work(), place)).await;
    done.map_err(|_| Refusal::Unavailable(format!("{named} was given up")))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn a_place_is_taken_until_the_work_is_done_whoever_waits_for_it() {
        let places = Arc::new(Semaphore::new(1));
        let (begun, has_begun) = tokio::sync::oneshot::channel();
        let (go_on, waits) = mpsc::sync_channel::<()>(1);
        let place = wait(&places).await.unwrap();
        let asked = tokio::spawn(work(place, "it", move || {
            let _ = begun.send(());
            waits.recv()
        }));
        has_begun.await.unwrap();
        asked.abort();
        assert!(asked.await.unwrap_err().is_cancelled());
        assert_eq!(places.available_permits(), 0);
        go_on.send(()).unwrap();
        drop(wait(&places).await.unwrap());
    }
}
