-- Whose comment a text has become, if any: whoever was linked when it was sent. NULL where nobody
-- knew.
ALTER TABLE drafts ADD COLUMN player_id BIGINT;
