-- Drafts are held as orders are; see storage/leases.py.
ALTER TABLE drafts RENAME COLUMN held_until TO due_at;
ALTER TABLE drafts ADD COLUMN claimed_by TEXT NOT NULL DEFAULT '';
-- 'open' when the game does not have the text, 'unknown' when it may.
UPDATE drafts SET state = 'unknown', claimed_by = 'an earlier version' WHERE state = 'sending';
