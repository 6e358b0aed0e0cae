-- Since 2.1.0 a server says in its own words what it announces.

-- What stands above each announcement, and what was previewed last and not kept.
ALTER TABLE subscriptions ADD COLUMN own_words TEXT NOT NULL DEFAULT '';
ALTER TABLE subscriptions ADD COLUMN drafted_words TEXT NOT NULL DEFAULT '';
