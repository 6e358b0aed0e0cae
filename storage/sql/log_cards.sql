-- name: place(case_id)^
-- Where a card is, or is to be, and where new ones go.
SELECT cases.guild_id, log_channel_id, channel_id, message_id
  FROM cases
  LEFT JOIN moderation ON moderation.guild_id = cases.guild_id
  LEFT JOIN messages ON key = 'case ' || cases.id
 WHERE cases.id = :case_id;

-- name: undecided(guild_id)
-- Those that need looking at and have no card in the log: its channel may be gone. What is held
-- back may have no card at all.
SELECT * FROM (
    SELECT cases.id, touched_at, messages.id AS card_id,
           hit_text_key IS NOT NULL
           AND (released_text_key IS NULL OR released_text_key <> hit_text_key) AS is_held_back
      FROM cases
      LEFT JOIN moderation ON moderation.guild_id = cases.guild_id
      LEFT JOIN messages ON key = 'case ' || cases.id
     WHERE cases.guild_id = :guild_id AND dismissed_at IS NULL
       AND (message_id IS NULL OR channel_id <> log_channel_id)
       AND NOT EXISTS (SELECT 1 FROM removals WHERE case_id = cases.id AND ended_at IS NULL)
    ) AS open
 WHERE is_held_back OR EXISTS (SELECT 1 FROM reports WHERE case_id = open.id)
 ORDER BY touched_at DESC;

-- name: lately(guild_id, since, most)
SELECT id FROM cases
 WHERE guild_id = :guild_id AND touched_at > :since AND hit_text_key IS NOT NULL
   AND EXISTS (SELECT 1 FROM messages WHERE key = 'case ' || cases.id)
 ORDER BY touched_at DESC
 LIMIT :most;
