-- What members want to hear of a catalog by direct message: of one item, or of all that fit a
-- search.
CREATE TABLE watches (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    member_id BIGINT NOT NULL,
    catalog_id BIGINT NOT NULL REFERENCES followed_catalogs (catalog_id),
    -- What is watched, so that nothing is watched twice.
    key TEXT NOT NULL,
    -- The server whose name for the catalog the member knows.
    named_in BIGINT,
    item_id BIGINT,
    -- The item's name, or the part of names that is looked for.
    name TEXT NOT NULL,
    type_id BIGINT,
    type_name TEXT,
    max_cost BIGINT,
    is_clearance BOOLEAN NOT NULL,
    locale TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (member_id, catalog_id, key)
);

CREATE INDEX watches_of_catalog ON watches (catalog_id, id);

-- Which event is to be told for which watch, once each.
CREATE TABLE watch_notices (
    watch_id BIGINT NOT NULL REFERENCES watches (id) ON DELETE CASCADE,
    event_id BIGINT NOT NULL REFERENCES catalog_events (id) ON DELETE CASCADE,
    member_id BIGINT NOT NULL,
    -- The key of the message in the outbox that tells it, from before it is sent.
    delivery TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (watch_id, event_id)
);

CREATE INDEX watch_notices_of_member ON watch_notices (member_id) WHERE delivery IS NULL;
CREATE INDEX watch_notices_by_delivery ON watch_notices (delivery);
CREATE INDEX watch_notices_by_event ON watch_notices (event_id);
CREATE INDEX watch_notices_by_age ON watch_notices (created_at);
