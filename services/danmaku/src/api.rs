//! The moderators' service, as the commands ask it: where it is, who asks, and what became of a question.
//! What is asked, and how an answer is told, is each command's own.

mod ended;
mod question;
mod token;

use std::time::Duration;

use http_body_util::Full;
use hyper::{Request, Uri, header::AUTHORIZATION};
use serde::de::DeserializeOwned;

use crate::reach;
pub(crate) use ended::{Failure, Outcome, Said, end};
pub(crate) use question::{Question, part};

/// A list of 200,000 entries takes the service 10 s; one that says nothing for so long says nothing.
const ANSWERED_WITHIN: Duration = Duration::from_secs(60);

/// Where the one-process program listens unless it is told otherwise.
const SERVER: &str = "http://127.0.0.1:8080";

/// Where the moderators' service is, and who asks.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "The service")]
pub(crate) struct Api {
    /// The moderators' service, or the one-process program.
    /// [default: http://127.0.0.1:8080]
    #[arg(long, env = "DANMAKU_SERVER", value_name = "URL", value_parser = reach::address)]
    server: Option<Uri>,

    /// A moderator's token. A program on an embedded broker gives one to this machine for the asking.
    #[arg(long, env = "DANMAKU_TOKEN", hide_env_values = true)]
    token: Option<String>,

    /// Print what the service answers as it stands, also when it refuses.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What was answered.
pub(crate) struct Answer {
    status: u16,
    pub(crate) text: String,
    as_it_stands: bool,
}

impl Api {
    /// Asks, and returns what was answered if it is no refusal.
    pub(crate) async fn ask(&self, question: Question) -> Result<Answer, Failure> {
        let token = match &self.token {
            Some(token) => token.trim().to_owned(),
            None => self.development_token().await?,
        };
        let answer = self.request(question, Some(&token)).await?;
        if answer.status < 400 { Ok(answer) } else { Err(Failure::refused(answer.status, answer.text)) }
    }

    /// One request and its answer, whatever it is.
    async fn request(&self, question: Question, token: Option<&str>) -> Result<Answer, Failure> {
        let Question { method, path, kind, body } = question;
        let base = self.base();
        let mut request = Request::builder().method(method).uri(format!("{base}{path}"));
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        if let Some(kind) = kind {
            request = request.header(hyper::header::CONTENT_TYPE, kind);
        }
        let request = request.body(Full::new(body)).map_err(|why| Failure::Usage(format!("cannot be asked: {why}")))?;
        let asking = async {
            let answer = reach::ask(request).await.map_err(|error| self.unreachable(&error))?;
            let text = String::from_utf8_lossy(answer.body()).into_owned();
            Ok(Answer { status: answer.status().as_u16(), text, as_it_stands: self.json })
        };
        tokio::time::timeout(ANSWERED_WITHIN, asking).await.unwrap_or_else(|_| {
            let within = ANSWERED_WITHIN.as_secs();
            let why = format!("{base} said nothing for {within} s; it may have done what it was asked all the same");
            Err(Failure::Unreachable(why))
        })
    }

    fn unreachable(&self, error: &anyhow::Error) -> Failure {
        Failure::Unreachable(format!(
            "--server (DANMAKU_SERVER): nobody answers at {}: {error:#}; start `danmaku`, or give the address of yours",
            self.base()
        ))
    }

    /// The address, without a slash at its end.
    fn base(&self) -> String {
        let base = self.server.as_ref().map_or_else(|| SERVER.to_owned(), Uri::to_string);
        base.trim_end_matches('/').to_owned()
    }

    /// Whether nobody said where to ask, so that the answer may come from elsewhere.
    pub(crate) fn is_anywhere(&self) -> bool {
        self.server.is_none()
    }
}

impl Answer {
    /// One that was made here, in the service's words.
    pub(crate) fn made(text: String, api: &Api) -> Self {
        Self { status: 200, text, as_it_stands: api.json }
    }

    /// Tells it to a person by `render`, or as it stands.
    pub(crate) fn told<T: DeserializeOwned>(self, render: impl FnOnce(T) -> String) -> Outcome {
        self.judged(render, |_| false)
    }

    /// The same; `is_finding` says whether a script should look at it.
    pub(crate) fn judged<T: DeserializeOwned>(
        self,
        render: impl FnOnce(T) -> String,
        is_finding: impl FnOnce(&T) -> bool,
    ) -> Outcome {
        let body: T = self.read()?;
        let is_finding = is_finding(&body);
        let text = if self.as_it_stands { self.text } else { render(body) };
        Ok(Said { text, is_finding })
    }

    /// What it says.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_str(&self.text).map_err(|error| {
            Failure::Unreachable(format!("the answer is not understood ({error}); is the service of another release?"))
        })
    }
}
