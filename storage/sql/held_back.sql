-- name: hold(case_id, word, text_key, written_at)!
-- Once for each text.
UPDATE cases
   SET hit_word = :word, hit_text_key = :text_key, written_at = :written_at,
       dismissed_at = NULL, dismissed_by = NULL, is_gone = FALSE
 WHERE id = :case_id AND (hit_text_key IS NULL OR hit_text_key <> :text_key);

-- name: hold_text(case_id, sealed_text)!
INSERT INTO held_texts (case_id, sealed_text) VALUES (:case_id, :sealed_text)
ON CONFLICT (case_id) DO NOTHING;

-- name: count_held_back(guild_id, player_id, since)^
-- How many comments of a player since then are held back; not those from before a mute of theirs
-- ended, or while one is in force.
SELECT COUNT(*) AS count FROM cases
 WHERE guild_id = :guild_id AND player_id = :player_id AND comment_id IS NOT NULL
   AND written_at > :since AND hit_text_key IS NOT NULL
   AND (released_text_key IS NULL OR released_text_key <> hit_text_key)
   AND NOT EXISTS (
       SELECT 1 FROM removals JOIN cases AS players ON players.id = case_id
        WHERE players.guild_id = cases.guild_id
          AND players.subject = 'player ' || cases.player_id
          AND (COALESCE(ended_at, until) IS NULL OR COALESCE(ended_at, until) > cases.written_at));

-- name: held_back(guild_id)
SELECT subject, hit_text_key FROM cases
 WHERE guild_id = :guild_id AND hit_text_key IS NOT NULL
   AND (released_text_key IS NULL OR released_text_key <> hit_text_key);

-- name: clean(guild_id, subject, text_key, sealed_text, now)^
-- It stays open where members reported it, and is closed by nobody where none did.
UPDATE cases
   SET hit_text_key = NULL, hit_word = NULL, sealed_text = :sealed_text,
       dismissed_at = CASE WHEN EXISTS (SELECT 1 FROM reports WHERE case_id = cases.id)
                           THEN dismissed_at ELSE CAST(:now AS BIGINT) END
 WHERE guild_id = :guild_id AND subject = :subject
   AND hit_text_key IS NOT NULL AND hit_text_key <> :text_key
RETURNING id;

-- name: release(case_id, guild_id, released_at, released_by)!
-- That decides about the reports from before as well.
UPDATE cases
   SET released_text_key = hit_text_key, released_by = :released_by,
       dismissed_at = :released_at, dismissed_by = :released_by, decided_at = :released_at
 WHERE id = :case_id AND guild_id = :guild_id AND hit_text_key IS NOT NULL AND NOT is_gone
   AND (released_text_key IS NULL OR released_text_key <> hit_text_key);

-- name: released(guild_id)
SELECT subject, released_text_key FROM cases
 WHERE guild_id = :guild_id AND released_text_key IS NOT NULL;
