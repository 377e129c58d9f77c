//! The large automaton, built anew in the background when many small edits have gathered.

use std::{
    sync::mpsc::{self, Receiver, TryRecvError},
    thread::{self, Thread},
};

use judge::book::{BadEdition, Edition, Lists};

/// How much a build yields to the judging threads: it takes a second of a core and may take ten.
const NICE: i32 = 10;

/// At most one build at a time.
#[derive(Default)]
pub(crate) struct Builder(Option<Receiver<Result<Lists, BadEdition>>>);

impl Builder {
    /// Begins to build `edition`, and wakes `waker` when it is built. Nothing happens while another build goes on.
    pub(crate) fn begin(&mut self, edition: &Edition, waker: Thread) {
        if self.0.is_some() {
            return;
        }
        // One build is one answer, so it never waits for us.
        let (answer, answers) = mpsc::sync_channel(1);
        let edition = edition.clone();
        let build = move || {
            // On Linux this is the thread's own. Without it, the build is as good and only less polite.
            let _ = rustix::process::nice(NICE);
            let _ = answer.send(Lists::new(edition));
            waker.unpark();
        };
        if thread::Builder::new().name("rules-base".to_owned()).spawn(build).is_ok() {
            self.0 = Some(answers);
        }
    }

    /// What was built, once.
    pub(crate) fn built(&mut self) -> Option<Result<Lists, BadEdition>> {
        match self.0.as_ref()?.try_recv() {
            Ok(built) => {
                self.0 = None;
                Some(built)
            }
            Err(TryRecvError::Empty) => None,
            // It died; the next edit begins another.
            Err(TryRecvError::Disconnected) => {
                self.0 = None;
                None
            }
        }
    }
}
