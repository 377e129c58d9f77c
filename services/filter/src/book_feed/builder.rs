//! The large automaton, built anew in the background when many small edits have gathered.

use std::{
    sync::mpsc::{self, Receiver, TryRecvError},
    thread::{self, Thread},
};

use anyhow::anyhow;
use judge::book::{BadEdition, Edition, Lists};

/// How much a build yields to the judging threads: it takes a second of a core and may take ten.
const NICE: i32 = 10;

/// At most one build at a time.
#[derive(Default)]
pub(crate) struct Builder {
    under_way: Option<Receiver<Result<Lists, BadEdition>>>,
    /// The edition that was built last. One that did not get built would not get built again either; the next edit begins
    /// another.
    tried: Option<u64>,
}

impl Builder {
    /// Begins to build `edition`, and wakes `waker` when it is built. Nothing happens while another build goes on.
    pub(crate) fn begin(&mut self, edition: &Edition, waker: Thread) {
        if self.under_way.is_some() || self.tried == Some(edition.number) {
            return;
        }
        // One build is one answer, so it never waits for us.
        let (answer, answers) = mpsc::sync_channel(1);
        let (number, edition) = (edition.number, edition.clone());
        let build = move || {
            // On Linux this is the thread's own. Without it, the build is as good and only less polite.
            let _ = rustix::process::nice(NICE);
            let _ = answer.send(Lists::new(edition));
            waker.unpark();
        };
        if thread::Builder::new().name("rules-base".to_owned()).spawn(build).is_ok() {
            (self.under_way, self.tried) = (Some(answers), Some(number));
        }
    }

    /// What was built, once.
    pub(crate) fn built(&mut self) -> Option<anyhow::Result<Lists>> {
        let built = match self.under_way.as_ref()?.try_recv() {
            Ok(built) => built.map_err(Into::into),
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => Err(anyhow!("its thread died")),
        };
        self.under_way = None;
        Some(built)
    }
}

#[cfg(test)]
mod tests {
    use proto::rules::Scope;

    use super::*;

    #[test]
    fn a_build_that_died_is_told_once_and_not_begun_again_before_the_next_edit() {
        let (_, answers) = mpsc::sync_channel(1);
        let mut builder = Builder { under_way: Some(answers), tried: Some(7) };
        assert!(builder.built().is_some_and(|built| built.is_err()));
        assert!(builder.built().is_none());
        let mut begins = |number| {
            builder.begin(&Edition { scope: Scope::Global, number, policy: None, chunks: vec![] }, thread::current());
            builder.under_way.is_some()
        };
        assert!(!begins(7));
        assert!(begins(8));
    }
}
