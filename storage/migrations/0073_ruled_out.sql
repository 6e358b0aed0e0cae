-- The comments, by their ids with spaces between, of which the writer said that they are not theirs.
ALTER TABLE drafts ADD COLUMN ruled_out TEXT NOT NULL DEFAULT '';
