-- By the game's own clock, where that is known: what was there before is another comment.
ALTER TABLE drafts ADD COLUMN sent_at BIGINT;
-- Until then, by our clock, the game may take what it was sent.
ALTER TABLE drafts ADD COLUMN arrives_until BIGINT;
-- The newest comment of the thread that was at hand when the text was sent.
ALTER TABLE drafts ADD COLUMN newest_before BIGINT;
-- Whether Discord took a message that says how the text stands.
ALTER TABLE drafts ADD COLUMN is_told BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE drafts SET is_told = TRUE WHERE claimed_by = '';

-- What drafts came to, by the draft's id, until the member has been told.
CREATE TABLE outcomes (
    id BIGINT PRIMARY KEY,
    member_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    thread_id BIGINT,
    comment_id BIGINT,
    created_at BIGINT NOT NULL
);

CREATE INDEX outcomes_of_member ON outcomes (member_id, id);
