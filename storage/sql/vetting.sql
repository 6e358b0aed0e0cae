-- name: words(guild_id)
SELECT word FROM watched_words WHERE guild_id = :guild_id ORDER BY word;

-- name: count(guild_id)^
SELECT COUNT(*) AS words FROM watched_words WHERE guild_id = :guild_id;

-- name: add_word(guild_id, word_key, word)!
INSERT INTO watched_words (guild_id, word_key, word) VALUES (:guild_id, :word_key, :word)
ON CONFLICT (guild_id, word_key) DO NOTHING;

-- name: remove_word(guild_id, word_key)!
DELETE FROM watched_words WHERE guild_id = :guild_id AND word_key = :word_key;

-- name: automod(guild_id)^
SELECT * FROM automod WHERE guild_id = :guild_id;

-- name: switch_on(guild_id)!
INSERT INTO automod (guild_id) VALUES (:guild_id) ON CONFLICT (guild_id) DO NOTHING;

-- name: switch_off(guild_id)!
DELETE FROM automod WHERE guild_id = :guild_id;

-- name: due(before, most)
SELECT guild_id FROM automod
 WHERE read_at IS NULL OR read_at < :before
 ORDER BY COALESCE(read_at, 0)
 LIMIT :most;

-- name: keep_automod(guild_id, rules, trouble, read_at)!
UPDATE automod SET rules = :rules, trouble = :trouble, read_at = :read_at
 WHERE guild_id = :guild_id;

-- name: released(guild_id)
SELECT comment_id, released_text_key FROM cases
 WHERE guild_id = :guild_id AND released_text_key IS NOT NULL;

-- name: hold(case_id, word, rule, is_alert, text_key)!
-- Once for each text, and once more where it only alerted before.
UPDATE cases
   SET hit_word = :word, hit_rule = :rule, hit_is_alert = :is_alert, hit_text_key = :text_key
 WHERE id = :case_id
   AND (hit_text_key IS NULL OR hit_text_key <> :text_key
        OR (hit_is_alert AND NOT CAST(:is_alert AS BOOLEAN)));

-- name: hit(guild_id, subject, is_alert)
SELECT 1 FROM cases
 WHERE guild_id = :guild_id AND subject = :subject AND hit_text_key IS NOT NULL
   AND (CAST(:is_alert AS BOOLEAN) OR NOT hit_is_alert);

-- name: release(case_id, guild_id, released_by)!
UPDATE cases SET released_text_key = hit_text_key, released_by = :released_by
 WHERE id = :case_id AND guild_id = :guild_id AND hit_text_key IS NOT NULL
   AND (released_text_key IS NULL OR released_text_key <> hit_text_key);
