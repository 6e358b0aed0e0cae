-- Whether what was last to be posted in a server's log channel was refused.
ALTER TABLE moderation ADD COLUMN log_is_closed BOOLEAN NOT NULL DEFAULT FALSE;
