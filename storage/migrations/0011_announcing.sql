-- The catalogs that are polled, because somebody subscribed to them.
CREATE TABLE followed_catalogs (
    catalog_id BIGINT PRIMARY KEY,
    followed_at BIGINT NOT NULL,
    -- Counts what was written about its items: whoever compared with less writes nothing.
    version BIGINT NOT NULL,
    -- The last success, or one within the hour before it.
    read_at BIGINT,
    -- Since when polls fail, how many did in a row, and why the last one did.
    failing_since BIGINT,
    failures BIGINT NOT NULL,
    failure TEXT
);

-- How each item was seen last: never forgotten while its catalog is followed.
CREATE TABLE seen_items (
    catalog_id BIGINT NOT NULL REFERENCES followed_catalogs (catalog_id) ON DELETE CASCADE,
    item_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    -- The name as it is looked for.
    name_key TEXT NOT NULL,
    cost BIGINT NOT NULL,
    -- None where it was there, but couldn't be read.
    currency_id BIGINT,
    is_clearance BOOLEAN NOT NULL,
    is_member_item BOOLEAN NOT NULL,
    base_cost BIGINT NOT NULL,
    first_seen_at BIGINT NOT NULL,
    risen_at BIGINT,
    clearance_ended_at BIGINT,
    gone_at BIGINT,
    PRIMARY KEY (catalog_id, item_id)
);

-- What was new about items, in the order in which it is told. An id is never given twice.
CREATE TABLE catalog_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    catalog_id BIGINT NOT NULL REFERENCES followed_catalogs (catalog_id) ON DELETE CASCADE,
    item_id BIGINT NOT NULL,
    news TEXT NOT NULL,
    -- The item as JSON, and the catalog's page it was on.
    item TEXT NOT NULL,
    page BIGINT NOT NULL,
    old_cost BIGINT,
    happened_at BIGINT NOT NULL,
    -- Whether nobody had looked for more than a day before.
    is_late BOOLEAN NOT NULL
);

CREATE INDEX catalog_events_of_item ON catalog_events (catalog_id, item_id, id);
CREATE INDEX catalog_events_of_catalog ON catalog_events (catalog_id, id);

-- Who wants to hear what of a catalog, and where.
CREATE TABLE subscriptions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    guild_id BIGINT NOT NULL,
    channel_id BIGINT NOT NULL,
    -- Discord's number for the kind of channel.
    channel_kind BIGINT NOT NULL,
    -- What the channel was called when it was chosen.
    channel_name TEXT NOT NULL,
    catalog_id BIGINT NOT NULL REFERENCES followed_catalogs (catalog_id),
    news TEXT NOT NULL,
    role_id BIGINT,
    type_id BIGINT,
    type_name TEXT,
    max_cost BIGINT,
    -- What posts in a forum channel are filed under.
    tag_id BIGINT,
    locale TEXT NOT NULL,
    created_by BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    paused_at BIGINT,
    -- Discord's code for what was refused; none where a person paused it.
    pause_reason BIGINT,
    -- The last event before the pause.
    paused_after BIGINT,
    UNIQUE (channel_id, catalog_id)
);

CREATE INDEX subscriptions_of_guild ON subscriptions (guild_id, id);
CREATE INDEX subscriptions_of_catalog ON subscriptions (catalog_id, id);

-- Which event was owed to which subscription: once each.
CREATE TABLE announcements (
    subscription_id BIGINT NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
    event_id BIGINT NOT NULL REFERENCES catalog_events (id) ON DELETE CASCADE,
    -- The key of what is owed in the outbox, and what became of it: the outbox forgets.
    delivery TEXT NOT NULL,
    state TEXT NOT NULL,
    settled_at BIGINT,
    message_id BIGINT,
    PRIMARY KEY (subscription_id, event_id)
);

CREATE INDEX announcements_by_event ON announcements (event_id);
CREATE INDEX announcements_by_delivery ON announcements (delivery);
