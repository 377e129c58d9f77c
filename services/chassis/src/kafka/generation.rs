//! The group's generation id, which the safe crate does not expose; the only unsafe code of the workspace.
#![allow(unsafe_code)]

use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka_sys as sys;

/// The generation of the group that `consumer` is a member of; −1 while it is a member of none.
pub(super) fn of<C: ConsumerContext>(consumer: &BaseConsumer<C>) -> i32 {
    // SAFETY: the native client lives as long as `consumer`, which is borrowed for the whole call. Librdkafka returns either
    // null or metadata that the caller owns; it is read once and destroyed before the function returns.
    unsafe {
        let metadata = sys::rd_kafka_consumer_group_metadata(consumer.client().native_ptr());
        if metadata.is_null() {
            return -1;
        }
        let generation = sys::rd_kafka_consumer_group_metadata_generation_id(metadata);
        sys::rd_kafka_consumer_group_metadata_destroy(metadata);
        generation
    }
}
