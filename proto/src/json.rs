//! The JSON form of what protobuf writes as numbers: enum words, colors, embedded JSON. Nothing else is converted.

/// Whether a field is at its default, and so left out.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A serde `with` module for an enum field that prost keeps as `i32`.
macro_rules! words {
    ($module:ident, $enum:ident, $($variant:ident = $word:literal),+ $(,)?) => {
        pub(crate) mod $module {
            use crate::v1::$enum;
            use serde::{Deserialize, Deserializer, Serializer, de::Error};

            /// The word of a value.
            pub(crate) fn name(value: $enum) -> &'static str {
                match value { $($enum::$variant => $word),+ }
            }

            #[allow(clippy::trivially_copy_pass_by_ref)]
            pub(crate) fn serialize<S: Serializer>(value: &i32, serializer: S) -> Result<S::Ok, S::Error> {
                // An unknown value comes from a later release and reads as the default.
                serializer.serialize_str(name($enum::try_from(*value).unwrap_or_default()))
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i32, D::Error> {
                let word = std::borrow::Cow::<str>::deserialize(deserializer)?;
                match word.as_ref() {
                    $($word => Ok($enum::$variant as i32),)+
                    _ => Err(D::Error::custom(concat!("expected one of:" $(, " ", $word)+))),
                }
            }
        }
    };
}

words!(kind, Kind, Chat = "chat", Gift = "gift", Super = "super", System = "system", Event = "event");
words!(position, Position, Scroll = "scroll", Top = "top", Bottom = "bottom");
words!(size, Size, Normal = "normal", Small = "small", Large = "large");
words!(gap_reason, GapReason, Unknown = "unknown", Slow = "slow", Stale = "stale", Node = "node");
words!(
    word,
    Word,
    Passed = "passed",
    Flagged = "flagged",
    Masked = "masked",
    Blocked = "blocked",
    Held = "held",
    Approved = "approved",
    Rejected = "rejected",
    Shadowed = "shadowed",
    Muted = "muted",
    Limited = "limited",
    Repeated = "repeated",
    Thinned = "thinned",
    Shed = "shed",
    Superseded = "superseded",
);

/// A verdict's word. One that is not known, of a later release, is told as `unknown`: read as the default it would be `passed`.
pub(crate) mod verdict {
    use super::word;
    use crate::v1::Word;
    use serde::{Deserialize, Deserializer, Serializer, de::value::CowStrDeserializer};

    pub(crate) const UNKNOWN: &str = "unknown";

    /// What `unknown` is read as: no word has this number.
    const NUMBER: i32 = -1;

    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub(crate) fn serialize<S: Serializer>(value: &i32, serializer: S) -> Result<S::Ok, S::Error> {
        match Word::known(*value) {
            Some(_) => word::serialize(value, serializer),
            None => serializer.serialize_str(UNKNOWN),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i32, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Ok(word::deserialize(CowStrDeserializer::<D::Error>::new(text)).unwrap_or(NUMBER))
    }
}

/// `0xRRGGBB` as `"#rrggbb"`.
pub(crate) mod color {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(color: &Option<u32>, serializer: S) -> Result<S::Ok, S::Error> {
        match color {
            Some(color) => serializer.collect_str(&format_args!("#{:06x}", color & 0xff_ffff)),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
        let Some(text) = Option::<std::borrow::Cow<str>>::deserialize(deserializer)? else { return Ok(None) };
        parse(&text).map(Some).ok_or_else(|| D::Error::custom("expected a color like \"#ff8800\""))
    }

    /// Reads `#rrggbb`.
    pub(crate) fn parse(text: &str) -> Option<u32> {
        let digits = text.strip_prefix('#')?;
        let plain = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        plain.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
    }
}

/// A string field that holds JSON and appears as JSON.
pub(crate) mod data {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::Error};
    use serde_json::value::RawValue;

    pub(crate) fn serialize<S: Serializer>(data: &str, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<&RawValue>(data).map_err(S::Error::custom)?.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        serde_json::Value::deserialize(deserializer).map(|value| value.to_string())
    }
}
