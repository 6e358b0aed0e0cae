-- Since 2.0.0 any process knows which thread a member has read last.

CREATE TABLE threads_read (
    member_id BIGINT NOT NULL,
    thread_id BIGINT NOT NULL,
    -- The newest comment that they saw there; 0 where there was none.
    newest_id BIGINT NOT NULL,
    read_at BIGINT NOT NULL,
    PRIMARY KEY (member_id, thread_id)
);
