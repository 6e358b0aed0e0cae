-- All that changes what a server hides. `change` (storage/hiding.py) alone runs these, and counts first.

-- name: count(guild_id)!
INSERT INTO moderation (guild_id, hidden_version) VALUES (:guild_id, 1)
ON CONFLICT (guild_id) DO UPDATE SET hidden_version = moderation.hidden_version + 1;

-- name: version(guild_id)^
SELECT hidden_version FROM moderation WHERE guild_id = :guild_id;

-- name: end_expired(case_id, now)^
UPDATE removals SET ended_at = until
 WHERE case_id = :case_id AND ended_at IS NULL AND until <= :now
RETURNING id;

-- name: remove(case_id, guild_id, moderator_id, reason, locale, created_at, until, is_by_rule)^
-- Nothing, if one is in force.
INSERT INTO removals (case_id, guild_id, moderator_id, reason, locale, created_at, until, is_by_rule)
VALUES (:case_id, :guild_id, :moderator_id, :reason, :locale, :created_at, :until, :is_by_rule)
ON CONFLICT (case_id) WHERE ended_at IS NULL DO NOTHING
RETURNING id;

-- name: change_mute(case_id, moderator_id, reason, until)^
-- Who muted, and why, stays as it was if no reason is given.
UPDATE removals
   SET moderator_id = CASE WHEN :reason = '' THEN moderator_id
                           ELSE CAST(:moderator_id AS BIGINT) END,
       reason = CASE WHEN :reason = '' THEN reason ELSE :reason END,
       is_by_rule = CASE WHEN :reason = '' THEN is_by_rule ELSE FALSE END,
       until = :until
 WHERE case_id = :case_id AND ended_at IS NULL
RETURNING case_id;

-- name: undo(removal_id, ended_at, ended_by)^
UPDATE removals SET ended_at = :ended_at, ended_by = :ended_by
 WHERE id = :removal_id AND ended_at IS NULL
RETURNING id;

-- name: hold(case_id, word, text_key, written_at)^
-- Once for each text.
UPDATE cases
   SET hit_word = :word, hit_text_key = :text_key, written_at = :written_at,
       dismissed_at = NULL, dismissed_by = NULL, is_gone = FALSE
 WHERE id = :case_id AND (hit_text_key IS NULL OR hit_text_key <> :text_key)
RETURNING id;

-- name: clean(guild_id, subject, text_key, sealed_text, now)^
-- It stays open if members reported it. Otherwise it is closed, by no one.
UPDATE cases
   SET hit_text_key = NULL, hit_word = NULL, sealed_text = :sealed_text,
       dismissed_at = CASE WHEN EXISTS (SELECT 1 FROM reports WHERE case_id = cases.id)
                           THEN dismissed_at ELSE CAST(:now AS BIGINT) END
 WHERE guild_id = :guild_id AND subject = :subject
   AND hit_text_key IS NOT NULL AND hit_text_key <> :text_key
RETURNING id;

-- name: release(case_id, guild_id, released_at, released_by)^
-- That decides about the reports from before as well.
UPDATE cases
   SET released_text_key = hit_text_key, released_by = :released_by,
       dismissed_at = :released_at, dismissed_by = :released_by, decided_at = :released_at
 WHERE id = :case_id AND guild_id = :guild_id AND hit_text_key IS NOT NULL AND NOT is_gone
   AND (released_text_key IS NULL OR released_text_key <> hit_text_key)
RETURNING id;

-- name: watch(guild_id, words)^
INSERT INTO watched (guild_id, words) VALUES (:guild_id, :words)
ON CONFLICT (guild_id) DO UPDATE SET words = excluded.words
RETURNING guild_id;
