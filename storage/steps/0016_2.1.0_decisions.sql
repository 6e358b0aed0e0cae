-- Since 2.1.0 the log has a line for what moderators and managers do that is no removal.
CREATE TABLE log_lines (
    id {id},
    guild_id BIGINT NOT NULL,
    member_id BIGINT NOT NULL,
    -- 'dismissed', 'shown', 'mute', 'words' or 'settings'
    what TEXT NOT NULL,
    -- What it is about, for the first three.
    case_id BIGINT,
    -- What was set, in the server's language; of a mute, when it ends.
    detail TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX log_lines_of_server ON log_lines (guild_id, id);

-- A server's rule mutes a player of whom three comments within an hour are held back.
ALTER TABLE moderation ADD COLUMN mutes_repeated BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE removals ADD COLUMN is_by_rule BOOLEAN NOT NULL DEFAULT FALSE;
-- When the game's writer wrote what is held back.
ALTER TABLE cases ADD COLUMN written_at BIGINT;

-- Whether those whose comment is removed are told why, if they asked for it.
ALTER TABLE moderation ADD COLUMN tells_writers BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE links ADD COLUMN hears_decisions BOOLEAN NOT NULL DEFAULT FALSE;
