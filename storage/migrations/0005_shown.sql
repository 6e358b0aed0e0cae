-- What each public message of Kiosk's shows of the forum, so that it can be found again.
CREATE TABLE shown_messages (
    id INTEGER PRIMARY KEY,
    guild_id BIGINT NOT NULL,
    channel_id BIGINT NOT NULL,
    -- Unknown until Discord has told it; a crash in between leaves it so.
    message_id BIGINT,
    created_at BIGINT NOT NULL
);

CREATE TABLE shown_comments (
    shown_id BIGINT NOT NULL REFERENCES shown_messages (id) ON DELETE CASCADE,
    comment_id BIGINT NOT NULL,
    PRIMARY KEY (shown_id, comment_id)
);

CREATE INDEX shown_by_comment ON shown_comments (comment_id);
