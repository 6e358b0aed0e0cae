-- Moderators' notes, AutoMod's rules as Kiosk ran them itself, and the notices of what hid nothing
-- are gone since 2.0.0, and so are messages that looked after what nobody posts any more.

DROP TABLE case_notes;

UPDATE cases SET hit_text_key = NULL, hit_word = NULL WHERE hit_is_alert;
ALTER TABLE cases DROP COLUMN hit_is_alert;
ALTER TABLE cases DROP COLUMN hit_rule;
ALTER TABLE removals DROP COLUMN game_answer;

-- Made anew: SQLite can't drop a table's last column where a comment before it has a comma.
CREATE TABLE watched_words (
    guild_id BIGINT PRIMARY KEY,
    -- JSON: words as they were typed, by what is looked for.
    words TEXT NOT NULL
);
INSERT INTO watched_words SELECT guild_id, words FROM watched;
DROP TABLE watched;
ALTER TABLE watched_words RENAME TO watched;

DELETE FROM messages WHERE kind IN ('look', 'lost key');
