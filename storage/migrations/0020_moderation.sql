-- How each server is moderated. Whatever changes that, or what it hides, locks its row and
-- raises the revision; whatever is about to be shown there locks it, too.
CREATE TABLE moderation (
    guild_id BIGINT PRIMARY KEY,
    revision BIGINT NOT NULL DEFAULT 0,
    moderator_role_id BIGINT,
    log_channel_id BIGINT,
    -- A JSON list.
    reasons TEXT NOT NULL DEFAULT '[]',
    needs_reason BOOLEAN NOT NULL DEFAULT FALSE,
    kept_days BIGINT NOT NULL DEFAULT 90
);

-- A comment or, where there is none, a player, that moderators of a server had to do with.
CREATE TABLE cases (
    id INTEGER PRIMARY KEY,
    guild_id BIGINT NOT NULL,
    -- 'comment 12' or 'player 12'
    subject TEXT NOT NULL,
    comment_id BIGINT,
    thread_id BIGINT,
    player_id BIGINT,
    player_name TEXT NOT NULL,
    player_key TEXT NOT NULL,
    -- What the comment said, until the days are over for which that is kept.
    sealed_text BLOB,
    touched_at BIGINT NOT NULL,
    -- The server's language.
    locale TEXT NOT NULL,
    -- When its reports were dismissed; a later one opens it again.
    dismissed_at BIGINT,
    dismissed_by BIGINT,
    -- Its card in the log channel, and how often that was to be drawn.
    log_channel_id BIGINT,
    log_message_id BIGINT,
    log_version BIGINT NOT NULL DEFAULT 0,
    UNIQUE (guild_id, subject)
);

CREATE TABLE removals (
    id INTEGER PRIMARY KEY,
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    -- 0 once the member asked to be forgotten.
    moderator_id BIGINT,
    reason TEXT NOT NULL,
    locale TEXT NOT NULL,
    -- NULL where the game was not asked to delete it.
    game_answer TEXT,
    created_at BIGINT NOT NULL,
    until BIGINT,
    ended_at BIGINT,
    ended_by BIGINT
);

-- Two moderators at once remove a comment once.
CREATE UNIQUE INDEX removals_in_force ON removals (case_id) WHERE ended_at IS NULL;
CREATE INDEX removals_of_case ON removals (case_id);

-- Who reported a comment: each member once.
CREATE TABLE reports (
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    member_id BIGINT NOT NULL,
    sealed_reason BLOB NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (case_id, member_id)
);

CREATE INDEX reports_of_member ON reports (member_id);

-- The public messages that showed what was removed, and what became of each.
CREATE TABLE removed_messages (
    removal_id BIGINT NOT NULL REFERENCES removals (id) ON DELETE CASCADE,
    shown_id BIGINT NOT NULL,
    channel_id BIGINT NOT NULL,
    message_id BIGINT,
    -- NULL while it waits.
    outcome TEXT,
    PRIMARY KEY (removal_id, shown_id)
);

CREATE INDEX removed_messages_of_shown ON removed_messages (shown_id);
CREATE INDEX removed_messages_waiting ON removed_messages (channel_id) WHERE outcome IS NULL;

CREATE TABLE case_notes (
    id INTEGER PRIMARY KEY,
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    moderator_id BIGINT,
    sealed_text BLOB NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX notes_of_case ON case_notes (case_id);

-- Who wrote each comment, so that muting a player finds the messages that show them.
ALTER TABLE shown_comments ADD COLUMN player_id BIGINT;
-- Of what has no place of its own on the card: below which other, and in which line.
ALTER TABLE shown_comments ADD COLUMN below BIGINT;
ALTER TABLE shown_comments ADD COLUMN line BIGINT;
CREATE INDEX shown_by_player ON shown_comments (player_id) WHERE player_id IS NOT NULL;
