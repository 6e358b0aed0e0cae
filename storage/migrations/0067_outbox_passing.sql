-- Whether others of its lane need not wait for what is put off: its trouble is its own.
ALTER TABLE outbox ADD COLUMN lets_pass BOOLEAN NOT NULL DEFAULT FALSE;
