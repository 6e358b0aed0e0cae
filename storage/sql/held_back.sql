-- name: hold_text(case_id, sealed_text)!
INSERT INTO held_texts (case_id, sealed_text) VALUES (:case_id, :sealed_text)
ON CONFLICT (case_id) DO NOTHING;

-- name: count_held_back(guild_id, player_id, since)^
-- How many comments of a player since then are held back. Not those from before a mute of theirs
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

-- name: released(guild_id)
SELECT subject, released_text_key FROM cases
 WHERE guild_id = :guild_id AND released_text_key IS NOT NULL;
