-- What moderators do while a stream is live, and what they see of it.

INSERT INTO counters (name, value) VALUES ('event', 0);

-- How far each partition of danmaku-verdicts was read, in one commit with what was made of it.
CREATE TABLE places (
    part BIGINT PRIMARY KEY,
    generation BIGINT NOT NULL,
    next BIGINT NOT NULL,
    counted BIGINT NOT NULL,
    bump BIGINT NOT NULL,
    group_generation BIGINT NOT NULL,
    rewinds BIGINT NOT NULL
);

-- Messages that wait, or waited, for a moderator. An outcome is written once.
CREATE TABLE holds (
    id TEXT PRIMARY KEY,
    room TEXT NOT NULL,
    user_id TEXT NOT NULL,
    held_ms BIGINT NOT NULL,
    deadline_ms BIGINT NOT NULL,
    rule TEXT NOT NULL,
    verdict BYTEA NOT NULL,
    outcome TEXT NOT NULL,
    decided_by TEXT NOT NULL,
    decided_ms BIGINT NOT NULL,
    reason TEXT NOT NULL,
    said TEXT NOT NULL,
    came_to TEXT NOT NULL
);
CREATE INDEX holds_that_wait ON holds (outcome, deadline_ms);
CREATE INDEX holds_of_room ON holds (room, outcome, held_ms);
CREATE INDEX holds_of_user ON holds (user_id);

-- Of late: what was not shown as it was said.
CREATE TABLE refusals (
    id TEXT PRIMARY KEY,
    room TEXT NOT NULL,
    user_id TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    word TEXT NOT NULL,
    code TEXT NOT NULL,
    rule TEXT NOT NULL,
    said TEXT NOT NULL
);
CREATE INDEX refusals_of_user ON refusals (user_id, at_ms);
CREATE INDEX refusals_by_age ON refusals (at_ms);

-- What each entry of the rule book found, and what moderators thought of it.
CREATE TABLE entry_hits (
    entry TEXT PRIMARY KEY,
    list TEXT NOT NULL,
    category TEXT NOT NULL,
    hits BIGINT NOT NULL,
    observed BIGINT NOT NULL,
    first_ms BIGINT NOT NULL,
    last_ms BIGINT NOT NULL,
    held BIGINT NOT NULL,
    approved BIGINT NOT NULL,
    rejected BIGINT NOT NULL
);

-- For the stream: the last of what moderators should hear at once.
CREATE TABLE events (
    id BIGINT PRIMARY KEY,
    at_ms BIGINT NOT NULL,
    kind TEXT NOT NULL,
    room TEXT NOT NULL,
    user_id TEXT NOT NULL,
    body TEXT NOT NULL
);

-- Mutes (of a room) and bans (with the room in which they act at their offset, if one was named).
CREATE TABLE sanctions (
    record_key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    room TEXT NOT NULL,
    subject TEXT NOT NULL,
    of_subject TEXT NOT NULL,
    until_ms BIGINT NOT NULL,
    broadcast BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    author TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    reason TEXT NOT NULL
);
CREATE INDEX sanctions_of_room ON sanctions (kind, room, until_ms);

-- How a room may be spoken in, and until when, if that ends by itself.
CREATE TABLE modes (
    room TEXT PRIMARY KEY,
    mode BYTEA NOT NULL,
    author TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    ends_ms BIGINT NOT NULL,
    afterwards BYTEA NOT NULL
);
CREATE INDEX modes_that_end ON modes (ends_ms);

-- How a room is moderated.
CREATE TABLE rooms (
    room TEXT PRIMARY KEY,
    hold_ms BIGINT NOT NULL,
    on_timeout TEXT NOT NULL,
    broadcast TEXT NOT NULL,
    broadcast_ms BIGINT NOT NULL
);

-- Who reported what.
CREATE TABLE reports (
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    room TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (id, user_id)
);
CREATE INDEX reports_of_user ON reports (user_id, at_ms);
