-- One dialect for SQLite and PostgreSQL: TEXT, BIGINT and BYTEA, no NULLs.

-- Taken first by every change, so that changes are numbered in the order in which they are committed.
CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO counters (name, value) VALUES ('sequence', 0), ('number', 0);

-- What versions are made of, named by its SHA-256: pages as moderators wrote them, chunks as they are published.
CREATE TABLE blobs (
    hash TEXT PRIMARY KEY,
    packed BYTEA NOT NULL
);

CREATE TABLE versions (
    number BIGINT PRIMARY KEY,
    scope TEXT NOT NULL,
    pages TEXT NOT NULL,
    chunks TEXT NOT NULL,
    lists TEXT NOT NULL,
    policy BYTEA NOT NULL,
    entries BIGINT NOT NULL,
    published BIGINT NOT NULL,
    added BIGINT NOT NULL,
    removed BIGINT NOT NULL,
    changed BIGINT NOT NULL,
    author TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    reason TEXT NOT NULL
);
CREATE INDEX versions_of_scope ON versions (scope, number);

-- Mutes and bans as they stand on danmaku-rules.
CREATE TABLE standing (
    record_key TEXT PRIMARY KEY,
    record BYTEA NOT NULL,
    sequence BIGINT NOT NULL,
    until_ms BIGINT NOT NULL
);

-- What was committed and is not yet on Kafka.
CREATE TABLE outbox (
    sequence BIGINT NOT NULL,
    place BIGINT NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (sequence, place)
);

-- A row's hash covers the digest of what it says, and the digest covers a salt: so what a row says of a person can be erased
-- with the salt, and the chain can still be followed.
CREATE TABLE audit (
    sequence BIGINT PRIMARY KEY,
    at_ms BIGINT NOT NULL,
    act TEXT NOT NULL,
    scope TEXT NOT NULL,
    actor TEXT NOT NULL,
    subject TEXT NOT NULL,
    reason TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    salt TEXT NOT NULL,
    digest TEXT NOT NULL,
    hash TEXT NOT NULL
);
