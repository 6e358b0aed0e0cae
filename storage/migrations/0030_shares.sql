-- Each press of "Share", so that it counts once, and the message that it became.
CREATE TABLE shares (
    -- Names the card and its button.
    pressed TEXT NOT NULL PRIMARY KEY,
    -- Unknown until Discord has told it; a crash in between leaves it so.
    message_id BIGINT,
    created_at BIGINT NOT NULL
);

CREATE INDEX shares_by_age ON shares (created_at);

CREATE INDEX shares_by_message ON shares (message_id);

CREATE INDEX shown_by_message ON shown_messages (message_id);
