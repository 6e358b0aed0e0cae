-- Since 2.0.0 a subscription is an audience and a subject, and an event is of any kind of place.

ALTER TABLE followed RENAME COLUMN game_id TO place_id;
ALTER TABLE seen RENAME COLUMN game_id TO place_id;
ALTER TABLE seen RENAME COLUMN id TO subject_id;

ALTER TABLE events RENAME COLUMN catalog_id TO place_id;
ALTER TABLE events RENAME COLUMN item_id TO subject_id;
-- JSON: what an event of its kind tells.
ALTER TABLE events ADD COLUMN payload TEXT NOT NULL DEFAULT '{}';
UPDATE events
   SET payload = '{"item":' || item || ',"page":' || page || ',"old_cost":'
                 || COALESCE(CAST(old_cost AS TEXT), 'null') || '}';
ALTER TABLE events DROP COLUMN item;
ALTER TABLE events DROP COLUMN page;
ALTER TABLE events DROP COLUMN old_cost;
DROP INDEX events_of_catalog;
DROP INDEX events_of_item;
CREATE INDEX events_of_subject ON events (kind, place_id, subject_id, id);
CREATE INDEX events_of_place ON events (kind, place_id, id);

ALTER TABLE subscriptions RENAME COLUMN game_id TO place_id;
ALTER TABLE subscriptions RENAME COLUMN item_id TO subject_id;
ALTER TABLE subscriptions RENAME COLUMN named_in TO asked_in;
ALTER TABLE subscriptions RENAME COLUMN name TO subject_name;
-- JSON: an ItemQuery.
ALTER TABLE subscriptions ADD COLUMN query TEXT NOT NULL DEFAULT '{}';
UPDATE subscriptions
   SET query = '{"name":"'
               || replace(replace(CASE WHEN subject_id IS NULL THEN COALESCE(subject_name, '') ELSE '' END, '\', '\\'), '"', '\"')
               || '","types":['
               -- Each stands on a line of its own.
               || CASE WHEN COALESCE(types, '') = '' THEN ''
                       ELSE '"' || replace(replace(replace(types, '\', '\\'), '"', '\"'), '
', '","') || '"' END
               || '],"max_cost":' || COALESCE(CAST(max_cost AS TEXT), 'null')
               || ',"currency":"' || replace(replace(COALESCE(currency, ''), '\', '\\'), '"', '\"')
               || '","is_clearance":' || CASE WHEN is_clearance THEN 'true' ELSE 'false' END
               || '}'
 WHERE kind = 'catalog';
UPDATE subscriptions SET subject_name = '' WHERE subject_id IS NULL;
ALTER TABLE subscriptions DROP COLUMN types;
ALTER TABLE subscriptions DROP COLUMN max_cost;
ALTER TABLE subscriptions DROP COLUMN currency;
ALTER TABLE subscriptions DROP COLUMN is_clearance;
