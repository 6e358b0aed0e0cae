-- Texts on their way to the game, kept until it has them or a day has passed.
CREATE TABLE drafts (
    id INTEGER PRIMARY KEY,
    member_id BIGINT NOT NULL,
    -- 'post', 'reply' or 'edit'
    kind TEXT NOT NULL,
    -- Unknown only for the edit of a comment that Kiosk never saw.
    thread_id BIGINT,
    -- The comment that is replied to or edited.
    comment_id BIGINT,
    sealed_text BLOB NOT NULL,
    -- What the game was last sent: another text, when the writer has changed it since.
    sealed_sent BLOB NOT NULL,
    -- 'sending' until `held_until`, 'open' when the game does not have it, 'unknown' when it may.
    state TEXT NOT NULL,
    held_until BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX drafts_by_member ON drafts (member_id, created_at);

-- What members wrote through Kiosk, since the game lists nobody's comments.
CREATE TABLE authored (
    member_id BIGINT NOT NULL,
    comment_id BIGINT NOT NULL,
    thread_id BIGINT NOT NULL,
    excerpt TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (member_id, comment_id)
);

CREATE INDEX authored_by_time ON authored (member_id, created_at);
CREATE INDEX authored_by_comment ON authored (comment_id);
