-- The threads whose comments are posted in channels.
CREATE TABLE followed_threads (
    thread_id BIGINT PRIMARY KEY,
    followed_at BIGINT NOT NULL,
    -- Counts what was written about its comments: whoever compared with less writes nothing.
    version BIGINT NOT NULL,
    -- Comments are new that were written later, by the game's clock.
    since BIGINT NOT NULL,
    -- The last success, or one within the hour before it.
    read_at BIGINT,
    failing_since BIGINT,
    failures BIGINT NOT NULL,
    failure TEXT
);

-- Where the comments of which thread are posted.
CREATE TABLE follows (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    guild_id BIGINT NOT NULL,
    channel_id BIGINT NOT NULL,
    -- Discord's number for the kind of channel.
    channel_kind BIGINT NOT NULL,
    -- What the channel was called when it was chosen.
    channel_name TEXT NOT NULL,
    thread_id BIGINT NOT NULL REFERENCES followed_threads (thread_id),
    -- What posts in a forum channel are filed under.
    tag_id BIGINT,
    locale TEXT NOT NULL,
    created_by BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    paused_at BIGINT,
    -- Discord's code for what was refused.
    pause_reason BIGINT,
    UNIQUE (channel_id, thread_id)
);

CREATE INDEX follows_of_guild ON follows (guild_id, id);
CREATE INDEX follows_of_thread ON follows (thread_id, id);

-- The comments of followed threads that were posted or may be, as they were seen last.
CREATE TABLE followed_comments (
    thread_id BIGINT NOT NULL REFERENCES followed_threads (thread_id) ON DELETE CASCADE,
    comment_id BIGINT NOT NULL,
    -- The comment at the top of those that it answers; itself, where it answers none.
    root_id BIGINT NOT NULL,
    -- The page it was on.
    page BIGINT NOT NULL,
    -- Tells two texts apart, without the texts.
    digest TEXT NOT NULL,
    -- How often the text was seen to have changed.
    revision BIGINT NOT NULL,
    is_gone BOOLEAN NOT NULL,
    written_at BIGINT NOT NULL,
    noted_at BIGINT NOT NULL,
    PRIMARY KEY (thread_id, comment_id)
);

-- Which comment was owed to which channel, and the message it has become.
CREATE TABLE follow_posts (
    follow_id BIGINT NOT NULL REFERENCES follows (id) ON DELETE CASCADE,
    comment_id BIGINT NOT NULL,
    -- The key of what is owed in the outbox.
    delivery TEXT NOT NULL,
    -- Whether it stands by itself in a message, which can be drawn anew.
    is_alone BOOLEAN NOT NULL,
    state TEXT NOT NULL,
    -- Where the message is: in a forum channel, the post.
    channel_id BIGINT,
    message_id BIGINT,
    noted_at BIGINT NOT NULL,
    PRIMARY KEY (follow_id, comment_id)
);

CREATE INDEX follow_posts_by_delivery ON follow_posts (delivery);
