-- kiosk: all that the bot keeps. storage/keeping.py says how long, and what of it is sealed.
--
-- Discord's ids and the game's are below 2^63; times are microseconds since 1970 in UTC. {id} is a
-- number that the database gives, never the same one twice; {bytes} is what is sealed.

-- Members

CREATE TABLE links (
    member_id BIGINT PRIMARY KEY,
    sealed_token {bytes} NOT NULL,
    -- A keyed hash of the token, by which orders are known to be of one account.
    token_key TEXT NOT NULL,
    is_refused BOOLEAN NOT NULL DEFAULT FALSE,
    linked_at BIGINT NOT NULL,
    player_id BIGINT,
    player_name TEXT
);

-- In which servers members use Kiosk: the names there hold in their direct messages too.
CREATE TABLE member_servers (
    member_id BIGINT NOT NULL,
    guild_id BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    PRIMARY KEY (member_id, guild_id)
);

-- The channel of direct messages with each member, once it was opened.
CREATE TABLE direct_channels (
    member_id BIGINT PRIMARY KEY,
    channel_id BIGINT NOT NULL
);

-- Writes

-- What members ask the game to do: kept before Discord is told, which is before the game is asked.
CREATE TABLE writes (
    -- Of the interaction that brought it: one that is heard twice is written once.
    id BIGINT PRIMARY KEY,
    member_id BIGINT NOT NULL,
    -- 'post', 'reply', 'edit', 'delete', 'purchase' or 'redeem'
    kind TEXT NOT NULL,
    -- The thread or catalog.
    place_id BIGINT NOT NULL,
    -- The comment that is replied to, edited or deleted, or the item.
    target_id BIGINT,
    -- The text; its start, once the game has it; NULL once it is forgotten or its key was lost.
    sealed_body {bytes},
    -- The language to tell the member in, once nobody is waiting for an answer.
    locale TEXT NOT NULL,
    -- 'kept', 'sent', 'done', 'refused' or 'unknown'
    state TEXT NOT NULL,
    reason TEXT,
    game_words TEXT,
    -- The state and reason that the member was told last.
    told TEXT NOT NULL DEFAULT '',
    -- The comment that a post or reply has become.
    result_id BIGINT,
    -- The account that was linked when it was sent, and who its player was, where that was known.
    token_key TEXT NOT NULL,
    player_id BIGINT,
    -- The newest comment of the thread that was at hand when the text was sent.
    newest_before BIGINT,
    -- The comments, by their ids with spaces between, of which the writer said that they are not
    -- theirs.
    ruled_out TEXT NOT NULL DEFAULT '',
    -- The card that an order was confirmed on, and the item as it showed it, as JSON.
    card_id BIGINT,
    item TEXT,
    -- Whoever alone may change it, until it is due; where nobody does, Kiosk looks at it then.
    holder TEXT NOT NULL,
    due_at BIGINT,
    created_at BIGINT NOT NULL,
    -- By the game's own clock, where that is known: what was there before is another comment.
    sent_at BIGINT,
    -- The same by our clock.
    asked_at BIGINT,
    -- NULL while an order is open.
    kept_until BIGINT,
    -- Whether it is an order that the game may still carry out, or has without our knowing.
    is_open BOOLEAN NOT NULL GENERATED ALWAYS AS (
        card_id IS NOT NULL
        AND (state IN ('kept', 'sent')
             OR kind = 'purchase' AND state = 'unknown' AND COALESCE(reason, '') = 'unanswered')
    ) STORED
);
-- unsent, comments_of
CREATE INDEX writes_of_member ON writes (member_id, id);
-- due
CREATE INDEX writes_due ON writes (due_at) WHERE due_at IS NOT NULL;
-- find_comment, known_between: no comment is taken for two texts.
CREATE UNIQUE INDEX writes_by_result ON writes (result_id) WHERE result_id IS NOT NULL;
-- keep: a second press on a card finds the first one's order.
CREATE UNIQUE INDEX writes_by_card ON writes (member_id, card_id) WHERE card_id IS NOT NULL;
-- keep: of two presses at once on two cards for one item, one is first.
CREATE UNIQUE INDEX writes_ordering ON writes (member_id, target_id, kind)
 WHERE card_id IS NOT NULL AND state IN ('kept', 'sent');
-- find_blocking, bought
CREATE INDEX writes_of_account ON writes (token_key, target_id) WHERE card_id IS NOT NULL;
-- newer_change, find_blocking
CREATE INDEX writes_by_target ON writes (target_id) WHERE target_id IS NOT NULL;
-- keeping.sql, purge
CREATE INDEX writes_by_age ON writes (kept_until) WHERE kept_until IS NOT NULL;

-- Messages

-- What shall be in Discord: posted, edited in place and deleted by bot/worker; and what an
-- interaction posts, which is never due. A direct message that was refused or is unknown waits for
-- its member's next command.
CREATE TABLE messages (
    id {id},
    kind TEXT NOT NULL,
    -- Wanting the same thing twice wants it once.
    key TEXT NOT NULL UNIQUE,
    -- The lowest goes first.
    priority BIGINT NOT NULL,
    guild_id BIGINT,
    channel_id BIGINT,
    -- Whom a direct message is for; its channel is known when it is sent.
    member_id BIGINT,
    -- The channel or member: one request is in flight for each.
    lane BIGINT NOT NULL,
    -- Whether others of its lane need not wait for what is put off: its trouble is its own.
    unblocks_lane BOOLEAN NOT NULL DEFAULT FALSE,
    -- JSON that the kind alone reads.
    payload TEXT NOT NULL,
    -- Whether it is drawn anew when it is wanted again, for as long as it is there; otherwise it is
    -- told once.
    stays BOOLEAN NOT NULL,
    -- Whether it shall be there, or be deleted.
    is_wanted BOOLEAN NOT NULL DEFAULT TRUE,
    -- How often it was wanted or given up: whoever has drawn an older version is not done with it.
    wanted BIGINT NOT NULL DEFAULT 1,
    wanted_at BIGINT NOT NULL,
    -- When it may be tried next; NULL when Discord has it as it is wanted, or never will.
    due_at BIGINT,
    -- The first try of those whose answer never came; NULL when none may have got through.
    attempted_at BIGINT,
    -- Tries since it was wanted, counted before each: who holds an older number has lost the row.
    attempts BIGINT NOT NULL DEFAULT 0,
    -- 'owed', 'sent', 'refused', 'unknown' or 'dropped'
    state TEXT NOT NULL DEFAULT 'owed',
    reason TEXT,
    -- Known once Discord has said it; NULL again when it is gone.
    message_id BIGINT,
    -- Counts the messages that it was. With the id, it is the nonce.
    posting BIGINT NOT NULL DEFAULT 0,
    settled_at BIGINT,
    -- The public message that it takes something out of, and the removal for which it does.
    shown_id BIGINT,
    removal_id BIGINT,
    -- NULL while it is owed, or stays.
    kept_until BIGINT
);
CREATE INDEX messages_owed ON messages (priority, lane, id) WHERE due_at IS NOT NULL;
CREATE INDEX messages_due ON messages (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX messages_of_member ON messages (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX messages_of_guild ON messages (guild_id) WHERE guild_id IS NOT NULL;
CREATE INDEX messages_by_message ON messages (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX messages_by_shown ON messages (shown_id) WHERE shown_id IS NOT NULL;
CREATE INDEX messages_of_removal ON messages (removal_id) WHERE removal_id IS NOT NULL;

-- Which comments a public message shows, so that it can be found again.
CREATE TABLE message_comments (
    shown_id BIGINT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    comment_id BIGINT NOT NULL,
    -- Who wrote it, so that muting a player finds the messages that show them.
    player_id BIGINT,
    -- The id of the component that shows it, and its line there; quotes count from the end.
    part BIGINT NOT NULL,
    line BIGINT NOT NULL,
    PRIMARY KEY (shown_id, part, line)
);
CREATE INDEX shown_by_comment ON message_comments (comment_id);
CREATE INDEX shown_by_player ON message_comments (player_id) WHERE player_id IS NOT NULL;

-- Servers

-- What each server calls threads and catalogs.
CREATE TABLE names (
    guild_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    game_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    -- The name folded for comparison, so that two names never differ by case alone.
    name_key TEXT NOT NULL,
    PRIMARY KEY (guild_id, kind, game_id),
    UNIQUE (guild_id, kind, name_key)
);

-- Servers that Kiosk keeps rows for and is no longer in; see storage/retention.py.
CREATE TABLE gone_servers (
    guild_id BIGINT PRIMARY KEY,
    gone_since BIGINT NOT NULL
);

-- Following

-- The catalogs and threads that are looked at again, because somebody subscribed to them.
CREATE TABLE followed (
    -- 'catalog' or 'thread'
    kind TEXT NOT NULL,
    game_id BIGINT NOT NULL,
    followed_at BIGINT NOT NULL,
    -- Counts what was written about it: whoever compared with less writes nothing.
    version BIGINT NOT NULL DEFAULT 0,
    -- Comments are new that were written later, by the game's clock.
    since BIGINT,
    -- Whose token it was read with last: it is tried first. None is the operator's.
    reader_id BIGINT,
    -- The last success, or one within the hour before it.
    read_at BIGINT,
    -- Since when looks fail, how many did in a row, and when and why the last one did.
    failing_since BIGINT,
    failures BIGINT NOT NULL DEFAULT 0,
    failed_at BIGINT,
    failure TEXT,
    PRIMARY KEY (kind, game_id)
);

-- How each item and comment was seen last: never forgotten while its place is followed.
CREATE TABLE seen (
    kind TEXT NOT NULL,
    game_id BIGINT NOT NULL,
    -- Of the item or the comment.
    id BIGINT NOT NULL,
    -- An item's name as it is looked for.
    name_key TEXT NOT NULL,
    -- JSON: a SeenItem or a SeenComment.
    state TEXT NOT NULL,
    PRIMARY KEY (kind, game_id, id),
    FOREIGN KEY (kind, game_id) REFERENCES followed (kind, game_id) ON DELETE CASCADE
);

-- What was new about items, in the order in which it is told.
CREATE TABLE events (
    id {id},
    kind TEXT NOT NULL DEFAULT 'catalog',
    catalog_id BIGINT NOT NULL,
    item_id BIGINT NOT NULL,
    news TEXT NOT NULL,
    -- The item as JSON, and the catalog's page it was on.
    item TEXT NOT NULL,
    page BIGINT NOT NULL,
    old_cost BIGINT,
    happened_at BIGINT NOT NULL,
    -- Whether nobody had looked for more than a day before.
    is_late BOOLEAN NOT NULL,
    FOREIGN KEY (kind, catalog_id) REFERENCES followed (kind, game_id) ON DELETE CASCADE
);
CREATE INDEX events_of_catalog ON events (catalog_id, id);
CREATE INDEX events_of_item ON events (catalog_id, item_id, id);

-- Who wants to hear what of a catalog or a thread: a channel, or a member by direct message.
CREATE TABLE subscriptions (
    id {id},
    -- Who, what and of which place, so that nothing is subscribed to twice.
    key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    game_id BIGINT NOT NULL,
    guild_id BIGINT,
    channel_id BIGINT,
    -- Discord's number for the kind of channel.
    channel_kind BIGINT,
    -- What the channel was called when it was chosen.
    channel_name TEXT,
    role_id BIGINT,
    -- What posts in a forum channel are filed under.
    tag_id BIGINT,
    member_id BIGINT,
    -- The server whose name for the catalog the member knows.
    named_in BIGINT,
    -- Which news a channel hears of; a member hears of one item, or of all that fit a search.
    news TEXT,
    item_id BIGINT,
    -- The item's name, or the part of names that is looked for.
    name TEXT,
    -- Names of types, each on a line.
    types TEXT,
    max_cost BIGINT,
    currency TEXT,
    is_clearance BOOLEAN,
    locale TEXT NOT NULL,
    created_by BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    paused_at BIGINT,
    -- Discord's code for what was refused; none where a person paused it.
    pause_reason BIGINT,
    -- The last event before the pause.
    paused_after BIGINT,
    FOREIGN KEY (kind, game_id) REFERENCES followed (kind, game_id)
);
CREATE INDEX subscriptions_of_guild ON subscriptions (guild_id, id) WHERE guild_id IS NOT NULL;
CREATE INDEX subscriptions_of_member ON subscriptions (member_id, id) WHERE member_id IS NOT NULL;
CREATE INDEX subscriptions_of_place ON subscriptions (kind, game_id, id);

-- Which event is told to which subscription, once each, and in which message.
CREATE TABLE message_events (
    subscription_id BIGINT NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
    event_id BIGINT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    message_key TEXT NOT NULL REFERENCES messages (key) ON DELETE CASCADE,
    PRIMARY KEY (subscription_id, event_id)
);
CREATE INDEX message_events_of_event ON message_events (event_id);
CREATE INDEX message_events_of_message ON message_events (message_key);

-- Moderating

-- How each server is moderated. Whatever changes that, or what it hides, locks its row;
-- whatever is about to be shown there locks it, too.
CREATE TABLE moderation (
    guild_id BIGINT PRIMARY KEY,
    moderator_role_id BIGINT,
    log_channel_id BIGINT,
    -- Whether what was last to be posted in the log channel was refused.
    log_is_closed BOOLEAN NOT NULL DEFAULT FALSE,
    -- A JSON list.
    reasons TEXT NOT NULL DEFAULT '[]',
    needs_reason BOOLEAN NOT NULL DEFAULT FALSE,
    kept_days BIGINT NOT NULL DEFAULT 90,
    -- What everybody in the server reads is in this language; '' for what Discord says.
    locale TEXT NOT NULL DEFAULT ''
);
CREATE INDEX moderation_of_log ON moderation (log_channel_id) WHERE log_channel_id IS NOT NULL;

-- A comment or, where there is none, a player, that moderators of a server had to do with.
CREATE TABLE cases (
    id {id},
    guild_id BIGINT NOT NULL,
    -- 'comment 12' or 'player 12'
    subject TEXT NOT NULL,
    comment_id BIGINT,
    thread_id BIGINT,
    player_id BIGINT,
    player_name TEXT NOT NULL,
    -- What the comment said, until the days are over for which that is kept.
    sealed_text {bytes},
    touched_at BIGINT NOT NULL,
    -- The server's language.
    locale TEXT NOT NULL,
    -- When its reports were dismissed; a later one opens it again.
    dismissed_at BIGINT,
    dismissed_by BIGINT,
    -- What a comment was held back for, or came to the moderators' notice; and what it was then.
    hit_word TEXT,
    hit_rule TEXT,
    hit_is_alert BOOLEAN,
    hit_text_key TEXT,
    -- The text that a moderator has let be shown; another one is held back again.
    released_text_key TEXT,
    released_by BIGINT,
    UNIQUE (guild_id, subject)
);
CREATE INDEX cases_of_guild ON cases (guild_id, touched_at);
CREATE INDEX cases_released ON cases (guild_id) WHERE released_text_key IS NOT NULL;
CREATE INDEX cases_held_back ON cases (guild_id, id) WHERE hit_text_key IS NOT NULL;

CREATE TABLE removals (
    id {id},
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    -- The case's, to find what a server hides among all that it ever hid.
    guild_id BIGINT NOT NULL,
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
CREATE INDEX removals_of_guild ON removals (guild_id, ended_at, id);
CREATE INDEX removals_of_case ON removals (case_id);

CREATE TABLE case_notes (
    id {id},
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    moderator_id BIGINT,
    sealed_text {bytes} NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX notes_of_case ON case_notes (case_id);

-- Who reported a comment: each member once.
CREATE TABLE reports (
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    member_id BIGINT NOT NULL,
    sealed_reason {bytes} NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (case_id, member_id)
);
CREATE INDEX reports_of_member ON reports (member_id);

-- What a server watches for in the game's texts.
CREATE TABLE watched (
    guild_id BIGINT PRIMARY KEY,
    -- JSON: words as they were typed, by what is looked for.
    words TEXT NOT NULL,
    -- JSON: the server's AutoMod rules, as last read; NULL where they hold for Discord alone.
    automod TEXT,
    read_at BIGINT
);

-- Processes

-- What is known of the whole installation.
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- Names that one process holds at a time; see storage/claims.py.
CREATE TABLE claims (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    -- By the database's own clock: then another process may take the name over.
    expires_at BIGINT NOT NULL
);

-- When each shard has told Discord who it is, for the brake; see bot/connecting.py.
CREATE TABLE identifies (
    shard_id BIGINT NOT NULL,
    identified_at BIGINT NOT NULL
);
