-- Since 2.1.0 a server says in its own words what it announces.

-- What stands above each announcement, and what was previewed last and not kept.
ALTER TABLE subscriptions ADD COLUMN own_words TEXT NOT NULL DEFAULT '';
ALTER TABLE subscriptions ADD COLUMN drafted_words TEXT NOT NULL DEFAULT '';

-- Up to five roles are pinged, each on a line.
ALTER TABLE subscriptions ADD COLUMN role_ids TEXT NOT NULL DEFAULT '';
UPDATE subscriptions SET role_ids = CAST(role_id AS TEXT) WHERE role_id IS NOT NULL;
ALTER TABLE subscriptions DROP COLUMN role_id;

-- Whether each announcement gets a thread to talk in.
ALTER TABLE subscriptions ADD COLUMN has_talk BOOLEAN NOT NULL DEFAULT FALSE;
-- Which of the roles members give and take themselves by Notify me; NULL for none.
ALTER TABLE subscriptions ADD COLUMN notify_role_id BIGINT;
