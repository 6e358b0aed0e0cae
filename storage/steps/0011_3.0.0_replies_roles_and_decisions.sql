-- Since 3.0.0 Kiosk reads catalogs with its own account, tells members about replies and about what
-- is new since they looked, servers give roles and say things in their own words, and the log has
-- more.

-- Two accounts may be shown different items, and that is no news: what a member's account has read
-- is read as if for the first time.
DELETE FROM seen
 WHERE kind = 'catalog'
   AND (place_id IN (SELECT place_id FROM followed WHERE kind = 'catalog' AND reader_id IS NOT NULL)
        OR place_id IN (SELECT place_id FROM subscriptions
                         WHERE kind = 'catalog' AND stopped_for = 'unread'));
UPDATE followed SET version = 0
 WHERE kind = 'catalog'
   AND (reader_id IS NOT NULL
        OR place_id IN (SELECT place_id FROM subscriptions
                         WHERE kind = 'catalog' AND stopped_for = 'unread'));
-- What no account read continues with Kiosk's own.
UPDATE subscriptions SET stopped_at = NULL, stopped_for = NULL, missed_after = NULL
 WHERE stopped_for = 'unread';
ALTER TABLE followed DROP COLUMN reader_id;
ALTER TABLE links DROP COLUMN read_catalog_id;
-- What happened more than a day before it can be told is only counted.
ALTER TABLE message_events ADD COLUMN is_counted BOOLEAN NOT NULL DEFAULT FALSE;
-- Before an item is told, it is read once with its member's account.
ALTER TABLE message_events ADD COLUMN is_looked_at BOOLEAN NOT NULL DEFAULT FALSE;

-- Whether the member wants to know about replies to everything they write, and in which server they
-- asked. NULL outside of servers.
ALTER TABLE links ADD COLUMN hears_replies BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE links ADD COLUMN replies_asked_in BIGINT;

-- The newest reply to a comment that was there when its writer asked for news of replies.
ALTER TABLE subscriptions ADD COLUMN replies_after BIGINT NOT NULL DEFAULT 0;

-- What a member had seen of a thread when they began to read it this time, and since when. NULL if
-- they never read it before.
ALTER TABLE threads_read ADD COLUMN before_id BIGINT;
ALTER TABLE threads_read ADD COLUMN before_at BIGINT;
-- When a look found something else than the one before.
ALTER TABLE followed ADD COLUMN changed_at BIGINT;
-- When a catalog or thread is checked next, by the usual five minutes at first.
ALTER TABLE followed ADD COLUMN due_at BIGINT NOT NULL DEFAULT 0;
UPDATE followed SET due_at = COALESCE(COALESCE(read_at, failed_at) + 300000000, followed_at);
CREATE INDEX followed_by_due ON followed (kind, due_at);
-- Of a comment, the one at the top of those that it answers, or itself if it answers none. Its
-- state begins with {"id":7,"root_id":5,
ALTER TABLE seen ADD COLUMN root_id BIGINT;
UPDATE seen
   SET root_id = (
        SELECT CAST(substr(rest, 1, length(rest) - length(ltrim(rest, '0123456789'))) AS BIGINT)
          FROM (SELECT substr(seen.state, length('{"id":,"root_id":' || seen.subject_id) + 1) AS rest)
            AS after_its_name)
 WHERE kind = 'thread';
CREATE INDEX seen_by_root ON seen (kind, place_id, root_id) WHERE root_id IS NOT NULL;
-- Since when the game no longer has a followed catalog or thread, NULL while it does.
ALTER TABLE followed ADD COLUMN gone_at BIGINT;

-- Servers give roles to members for what they have in the game.
CREATE TABLE role_rules (
    id {id},
    guild_id BIGINT NOT NULL,
    -- 'linked' or 'owns'
    kind TEXT NOT NULL,
    -- The item that is to be owned. 0 and empty if none is.
    catalog_id BIGINT NOT NULL,
    item_id BIGINT NOT NULL,
    item_name TEXT NOT NULL,
    role_id BIGINT NOT NULL,
    -- Whether members who no longer fulfil it lose the role.
    takes_away BOOLEAN NOT NULL,
    -- Discord's code for why it refuses the role, or Kiosk's own, and since when. Otherwise NULL.
    refusal BIGINT,
    refused_at BIGINT,
    created_by BIGINT NOT NULL,
    UNIQUE (guild_id, role_id, kind, item_id)
);

-- Of a role that a member is to have, or to lose: whose it is, which one.
ALTER TABLE messages ADD COLUMN about_member BIGINT;
ALTER TABLE messages ADD COLUMN role_id BIGINT;
-- Whether the member had the role before Kiosk gave it, which is noted first. NULL until then.
ALTER TABLE messages ADD COLUMN had_already BOOLEAN;
CREATE INDEX messages_about ON messages (about_member) WHERE about_member IS NOT NULL;

-- When it was last checked which roles a member is to have there. NULL if it is to be checked now.
ALTER TABLE member_servers ADD COLUMN looked_at BIGINT;
CREATE INDEX member_servers_looked ON member_servers (guild_id, looked_at);

-- The words above each announcement, and those that were previewed last and not kept.
ALTER TABLE subscriptions ADD COLUMN own_words TEXT NOT NULL DEFAULT '';
ALTER TABLE subscriptions ADD COLUMN drafted_words TEXT NOT NULL DEFAULT '';

-- Up to five roles are pinged, each on a line.
ALTER TABLE subscriptions ADD COLUMN role_ids TEXT NOT NULL DEFAULT '';
UPDATE subscriptions SET role_ids = CAST(role_id AS TEXT) WHERE role_id IS NOT NULL;
ALTER TABLE subscriptions DROP COLUMN role_id;

-- Which of the roles members give and take themselves by Notify me. NULL for none.
ALTER TABLE subscriptions ADD COLUMN notify_role_id BIGINT;

-- Which of the roles were found deleted: they are no longer pinged.
ALTER TABLE subscriptions ADD COLUMN gone_role_ids TEXT NOT NULL DEFAULT '';

-- The log has a line for what moderators and managers do that isn't a removal.
CREATE TABLE log_lines (
    id {id},
    guild_id BIGINT NOT NULL,
    member_id BIGINT NOT NULL,
    -- 'dismissed', 'shown', 'mute', 'dismissed about', 'dismissed by', 'words', 'settings',
    -- 'announcements', 'names', 'roles', 'message deleted' or 'message updated'
    what TEXT NOT NULL,
    -- What it is about, for the first four.
    case_id BIGINT,
    -- What was set or changed, in the server's language. For a mute, when it ends. For reports, how
    -- many, and until when their member is stopped.
    detail TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX log_lines_of_server ON log_lines (guild_id, created_at);

-- A server's rule mutes a player of whom three comments within an hour are held back.
ALTER TABLE moderation ADD COLUMN mutes_repeated BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE removals ADD COLUMN is_by_rule BOOLEAN NOT NULL DEFAULT FALSE;
-- Which mutes have ended by themselves is looked up each minute.
CREATE INDEX removals_by_end ON removals (until) WHERE ended_at IS NULL AND until IS NOT NULL;
-- When the game's writer wrote what is held back.
ALTER TABLE cases ADD COLUMN written_at BIGINT;

-- The word that a comment or a name was held back for first, and after a line break what it said.
CREATE TABLE held_texts (
    case_id BIGINT PRIMARY KEY REFERENCES cases (id) ON DELETE CASCADE,
    sealed_text {bytes} NOT NULL
);
-- Whether the game no longer has a comment that waits for a decision.
ALTER TABLE cases ADD COLUMN is_gone BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX cases_of_comment ON cases (comment_id) WHERE comment_id IS NOT NULL;
-- When moderators last decided about what was reported until then, or shown.
ALTER TABLE cases ADD COLUMN decided_at BIGINT;
UPDATE cases SET decided_at = dismissed_at WHERE dismissed_at IS NOT NULL;
-- From whom a server takes no reports for a while.
CREATE TABLE report_stops (
    guild_id BIGINT NOT NULL,
    member_id BIGINT NOT NULL,
    until BIGINT NOT NULL,
    stopped_by BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (guild_id, member_id)
);

-- Counts the changes of what a server hides: processes read that again only after one.
ALTER TABLE moderation ADD COLUMN hidden_version BIGINT NOT NULL DEFAULT 0;

-- Whether those whose comment is removed are told why, if they asked for it.
ALTER TABLE moderation ADD COLUMN tells_writers BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE links ADD COLUMN hears_decisions BOOLEAN NOT NULL DEFAULT FALSE;

-- Whether a message is deleted or redrawn because the writer of a comment has deleted that: the
-- number of a removal was 0 then.
ALTER TABLE messages ADD COLUMN is_by_writer BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE messages SET removal_id = NULL, is_by_writer = TRUE WHERE removal_id = 0;
-- What 1.0.0 began to post has no channel if it failed, and none is sent there.
UPDATE messages SET lane = COALESCE(channel_id, guild_id, id) WHERE lane = 0;

-- What is being posted is no longer unknown, and at an upgrade nothing is: what a crash left may be
-- pressed again, as it may after a minute otherwise.
UPDATE messages SET key = key || ' ' || id
 WHERE kind = 'shared' AND state = 'unknown' AND message_id IS NULL AND key NOT LIKE '% ' || id;

-- Kiosk no longer posts tests of announcements, not even pending ones.
DELETE FROM messages WHERE kind = 'announcement.test';
-- One card of a log counts all that waits, in place of those for what was held back within a minute.
DELETE FROM messages WHERE key LIKE 'case.more %';

-- Which panels say less than is known is looked up each minute.
CREATE INDEX messages_panels ON messages (wanted_at) WHERE kind = 'panel';
CREATE INDEX events_by_time ON events (kind, place_id, happened_at);
-- Events are deleted after a year.
CREATE INDEX events_by_age ON events (happened_at);

-- Records of announcements of catalogs are now deleted 90 days after they were sent: 83 days later
-- than those of other messages.
UPDATE messages SET kept_until = kept_until + 83 * 86400000000
 WHERE kind IN ('announcement', 'announcement.post') AND kept_until IS NOT NULL;
CREATE INDEX messages_by_age ON messages (kept_until) WHERE kept_until IS NOT NULL;
