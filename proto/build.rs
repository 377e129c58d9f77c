//! Compiles `danmaku.proto` without protoc, and gives the viewer's frames their JSON form.

use std::io::Result;

/// Messages that appear on the viewer's JSON wire.
const FRAMES: &[&str] = &[
    "User",
    "Message",
    "Recall",
    "Mode",
    "Notice",
    "Told",
    "Hello",
    "Batch",
    "Gap",
    "Ack",
    "Pong",
    "Reconnect",
    "Error",
    "Token",
    "Send",
    "Ping",
    "NoticeAck",
];

/// Fields whose JSON form differs from their protobuf form, and the module of `json.rs` that converts them.
const CONVERTED: &[(&str, &str)] = &[
    ("Message.kind", "kind"),
    ("Message.position", "position"),
    ("Message.size", "size"),
    ("Message.color", "color"),
    ("Message.data", "data"),
    ("Notice.data", "data"),
    ("Told.verdict", "verdict"),
    ("Gap.reason", "gap_reason"),
    ("Send.position", "position"),
    ("Send.size", "size"),
    ("Send.color", "color"),
];

fn main() -> Result<()> {
    println!("cargo:rerun-if-changed=danmaku.proto");
    let files = protox::compile(["danmaku.proto"], ["."]).map_err(std::io::Error::other)?;
    let mut config = prost_build::Config::new();
    config.bytes([".danmaku.v1.DeadLetter", ".danmaku.v1.RuleChunk"]);
    for frame in FRAMES {
        let path = format!(".danmaku.v1.{frame}");
        config.type_attribute(&path, "#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]");
        config.field_attribute(&path, "#[serde(skip_serializing_if = \"crate::json::is_default\")]");
    }
    for (field, module) in CONVERTED {
        config.field_attribute(format!(".danmaku.v1.{field}"), format!("#[serde(with = \"crate::json::{module}\")]"));
    }
    for oneof in ["ServerFrame.frame", "ClientFrame.frame"] {
        config.type_attribute(
            format!(".danmaku.v1.{oneof}"),
            "#[derive(serde::Serialize, serde::Deserialize)] #[serde(tag = \"type\", rename_all = \"snake_case\")]",
        );
    }
    config.compile_fds(files)
}
