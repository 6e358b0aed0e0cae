-- How often each thing that processes remember was changed; see storage/changes.py.
CREATE TABLE changes (
    topic TEXT PRIMARY KEY,
    number BIGINT NOT NULL
);

-- Until when the game wants no request, for those processes that were not told themselves.
CREATE TABLE pauses (
    -- The member whose token it is for, 0 for requests without one.
    account_id BIGINT PRIMARY KEY,
    milliseconds BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    -- That of the topic "pauses" when it was written.
    number BIGINT NOT NULL
);
