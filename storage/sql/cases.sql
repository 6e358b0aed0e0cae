-- name: open_case(guild_id, subject, comment_id, thread_id, player_id, player_name, sealed_text, locale, touched_at)^
-- What was known before stays if nothing newer is known.
INSERT INTO cases (guild_id, subject, comment_id, thread_id, player_id, player_name, sealed_text,
                   locale, touched_at)
VALUES (:guild_id, :subject, :comment_id, :thread_id, :player_id, :player_name, :sealed_text,
        :locale, :touched_at)
ON CONFLICT (guild_id, subject) DO UPDATE
   SET thread_id = COALESCE(excluded.thread_id, cases.thread_id),
       player_id = COALESCE(excluded.player_id, cases.player_id),
       player_name = CASE WHEN excluded.player_name = '' THEN cases.player_name
                          ELSE excluded.player_name END,
       sealed_text = COALESCE(excluded.sealed_text, cases.sealed_text),
       locale = excluded.locale,
       touched_at = excluded.touched_at
RETURNING id;

-- name: case(case_id)^
SELECT cases.*, held_texts.sealed_text AS sealed_first
  FROM cases LEFT JOIN held_texts ON case_id = cases.id WHERE cases.id = :case_id;

-- name: is_undecided(comment_id)^
SELECT 1 FROM cases WHERE comment_id = :comment_id AND dismissed_at IS NULL AND NOT is_gone LIMIT 1;

-- name: reports_of_case(case_id, most)
-- The last ones, and their number.
SELECT sealed_reason, created_at, COUNT(*) OVER () AS reports,
       MIN(created_at) OVER () AS first_at
  FROM reports
 WHERE case_id = :case_id ORDER BY created_at DESC LIMIT :most;

-- name: cards_of_player(guild_id, player_id)
-- Of the comments that moderators have yet to decide about. Some have no card of their own.
SELECT cases.id, key IS NOT NULL AS has_card
  FROM cases LEFT JOIN messages ON key = 'case ' || cases.id
 WHERE cases.guild_id = :guild_id AND cases.player_id = :player_id AND comment_id IS NOT NULL
   AND dismissed_at IS NULL
   AND (key IS NOT NULL OR hit_text_key IS NOT NULL
        OR EXISTS (SELECT 1 FROM reports WHERE case_id = cases.id))
   AND NOT EXISTS (SELECT 1 FROM removals WHERE case_id = cases.id AND ended_at IS NULL);

-- name: forget_texts(now)!
-- A day is 86,400,000,000 microseconds.
UPDATE cases SET sealed_text = NULL
 WHERE id IN (
    SELECT cases.id FROM cases LEFT JOIN moderation ON moderation.guild_id = cases.guild_id
     WHERE sealed_text IS NOT NULL
       AND touched_at < :now - 86400000000 * COALESCE(kept_days, 90));

-- name: forget_held_texts(now)!
DELETE FROM held_texts
 WHERE case_id IN (
    SELECT cases.id FROM cases LEFT JOIN moderation ON moderation.guild_id = cases.guild_id
     WHERE touched_at < :now - 86400000000 * COALESCE(kept_days, 90));

-- name: save_log_state(channel_id, is_closed)^
UPDATE moderation SET log_is_closed = :is_closed
 WHERE log_channel_id = :channel_id AND log_is_closed <> :is_closed
RETURNING guild_id;

-- name: refused()
-- The last card that each closed log refused, NULL for none.
SELECT (SELECT MAX(cases.id) FROM cases JOIN messages ON key = 'case ' || cases.id
         WHERE cases.guild_id = moderation.guild_id
           AND state = 'refused' AND message_id IS NULL) AS case_id
  FROM moderation WHERE log_is_closed AND log_channel_id IS NOT NULL;

-- name: dismissed_by(guild_id, dismissed_at, dismissed_by)
-- What a moderator dismissed at one moment.
SELECT id FROM cases
 WHERE guild_id = :guild_id AND dismissed_at = :dismissed_at AND dismissed_by = :dismissed_by;

-- name: card_of(case_id)^
-- The channel that has or gets a card, and the channel for new ones.
SELECT cases.guild_id, log_channel_id, channel_id, message_id
  FROM cases
  LEFT JOIN moderation ON moderation.guild_id = cases.guild_id
  LEFT JOIN messages ON key = 'case ' || cases.id
 WHERE cases.id = :case_id;

-- name: waiting(guild_id, now)
-- What moderators have yet to decide. Restoring a comment decides about the reports from before, and
-- nothing of a muted player needs a decision. The queries below count it, and choose from it.
SELECT id AS case_id, player_id,
       CASE WHEN comment_id IS NULL THEN 'names'
            WHEN hit_text_key IS NULL OR released_text_key = hit_text_key THEN 'reports'
            ELSE 'held' END AS kind
  FROM cases
 WHERE guild_id = :guild_id AND dismissed_at IS NULL AND NOT is_gone
   AND (hit_text_key IS NOT NULL
        AND (released_text_key IS NULL OR released_text_key <> hit_text_key)
        OR EXISTS (
            SELECT 1 FROM reports
             WHERE case_id = cases.id AND created_at > COALESCE(
                 (SELECT MAX(ended_at) FROM removals WHERE case_id = cases.id), 0)))
   AND subject NOT IN (
       SELECT hidden.subject FROM removals JOIN cases AS hidden ON hidden.id = case_id
        WHERE hidden.guild_id = :guild_id AND ended_at IS NULL AND (until IS NULL OR until > :now))
   AND COALESCE('player ' || player_id, '') NOT IN (
       SELECT hidden.subject FROM removals JOIN cases AS hidden ON hidden.id = case_id
        WHERE hidden.guild_id = :guild_id AND ended_at IS NULL AND (until IS NULL OR until > :now));

-- name: count_waiting()^
-- How much waits, and the language of what came up last. `what_waits` is the query above.
SELECT count, locale
  FROM (SELECT COUNT(*) AS count, MAX(case_id) AS newest_id
          FROM (what_waits) AS cases_waiting) AS counted
  LEFT JOIN cases ON cases.id = newest_id;

-- name: place_in_queue(kind, player_id, from_id)^
-- The first case from one on that fits, or the first of all, and what is around it. NULL means any
-- player.
WITH waiting AS MATERIALIZED (
    SELECT case_id, player_id, kind,
           player_id = :player_id OR CAST(:player_id AS BIGINT) IS NULL AS is_theirs,
           kind = :kind OR :kind = 'all' AS is_kind
      FROM (what_waits) AS cases_waiting
), shown AS (
    SELECT case_id, player_id FROM waiting WHERE is_theirs AND is_kind
     ORDER BY case_id < :from_id, case_id LIMIT 1
)
SELECT shown.case_id,
       COUNT(CASE WHEN is_theirs AND is_kind AND waiting.case_id <= shown.case_id THEN 1 END) AS place,
       COUNT(CASE WHEN is_theirs AND is_kind THEN 1 END) AS count,
       MAX(CASE WHEN is_theirs AND is_kind AND waiting.case_id < shown.case_id
                THEN waiting.case_id END) AS previous_id,
       MIN(CASE WHEN is_theirs AND is_kind AND waiting.case_id > shown.case_id
                THEN waiting.case_id END) AS next_id,
       COUNT(CASE WHEN is_theirs THEN 1 END) AS everything,
       COUNT(CASE WHEN is_theirs AND kind = 'reports' THEN 1 END) AS reports,
       COUNT(CASE WHEN is_theirs AND kind = 'held' THEN 1 END) AS held,
       COUNT(CASE WHEN is_theirs AND kind = 'names' THEN 1 END) AS names,
       COUNT(CASE WHEN waiting.player_id = shown.player_id THEN 1 END) AS of_player,
       COUNT(CASE WHEN waiting.player_id = shown.player_id AND is_kind THEN 1 END) AS fitting_of_player,
       COUNT(CASE WHEN waiting.player_id = shown.player_id AND kind = 'reports' THEN 1 END)
           AS reports_of_player,
       COUNT(*) AS waiting
  FROM waiting LEFT JOIN shown ON TRUE
 GROUP BY shown.case_id;

-- name: lately(guild_id, since, most)
-- What came up lately and has a card of its own.
SELECT id FROM cases
 WHERE guild_id = :guild_id AND touched_at > :since
   AND (hit_text_key IS NOT NULL OR EXISTS (SELECT 1 FROM reports WHERE case_id = cases.id))
   AND EXISTS (SELECT 1 FROM messages WHERE key = 'case ' || cases.id)
 ORDER BY touched_at DESC
 LIMIT :most;
