-- name: lock(guild_id)!
INSERT INTO moderation (guild_id) VALUES (:guild_id)
ON CONFLICT (guild_id) DO UPDATE SET guild_id = excluded.guild_id;

-- name: find(guild_id)^
SELECT * FROM moderation WHERE guild_id = :guild_id;

-- name: save(guild_id, moderator_role_id, log_channel_id, log_is_closed, reasons, needs_reason, kept_days, locale, mutes_repeated, tells_writers)!
-- Its row is there: it was locked.
UPDATE moderation
   SET moderator_role_id = :moderator_role_id, log_channel_id = :log_channel_id,
       log_is_closed = :log_is_closed, reasons = :reasons, needs_reason = :needs_reason,
       kept_days = :kept_days, locale = :locale, mutes_repeated = :mutes_repeated,
       tells_writers = :tells_writers
 WHERE guild_id = :guild_id;

-- name: save_log_state(channel_id, is_closed)^
UPDATE moderation SET log_is_closed = :is_closed
 WHERE log_channel_id = :channel_id AND log_is_closed <> :is_closed
RETURNING guild_id;

-- name: refused()
-- Of each log that takes nothing, the last card that it did not let be posted; NULL for none.
SELECT (SELECT MAX(cases.id) FROM cases JOIN messages ON key = 'case ' || cases.id
         WHERE cases.guild_id = moderation.guild_id
           AND state = 'refused' AND message_id IS NULL) AS case_id
  FROM moderation WHERE log_is_closed AND log_channel_id IS NOT NULL;

-- name: stale(guild_id)
-- Cards in the log that Discord refused to change when something of their cases did.
SELECT key FROM messages
 WHERE guild_id = :guild_id AND kind = 'case' AND state = 'refused' AND message_id IS NOT NULL
   AND channel_id = (SELECT log_channel_id FROM moderation WHERE guild_id = :guild_id);

-- name: dismissed_by(guild_id, dismissed_at, dismissed_by)
-- What a moderator dismissed at one moment.
SELECT id FROM cases
 WHERE guild_id = :guild_id AND dismissed_at = :dismissed_at AND dismissed_by = :dismissed_by;

-- name: card_of(case_id)^
-- Where a card is, or is to be, and where new ones go.
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
-- How much waits, and the language of what came up last; `what_waits` stands for the query above.
SELECT count, locale
  FROM (SELECT COUNT(*) AS count, MAX(case_id) AS newest_id
          FROM (what_waits) AS cases_waiting) AS counted
  LEFT JOIN cases ON cases.id = newest_id;

-- name: place_in_queue(kind, player_id, from_id)^
-- The first case from one on that fits, or the first of all, and what is around it. NULL stands for
-- any player.
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

-- name: set_gone(comment_id, is_gone)
UPDATE cases SET is_gone = :is_gone
 WHERE comment_id = :comment_id AND is_gone <> :is_gone AND dismissed_at IS NULL
RETURNING id, guild_id;

-- name: lately(guild_id, since, most)
-- What came up lately and has a card of its own.
SELECT id FROM cases
 WHERE guild_id = :guild_id AND touched_at > :since
   AND (hit_text_key IS NOT NULL OR EXISTS (SELECT 1 FROM reports WHERE case_id = cases.id))
   AND EXISTS (SELECT 1 FROM messages WHERE key = 'case ' || cases.id)
 ORDER BY touched_at DESC
 LIMIT :most;

-- name: add_line(guild_id, member_id, what, case_id, detail, created_at)^
INSERT INTO log_lines (guild_id, member_id, what, case_id, detail, created_at)
VALUES (:guild_id, :member_id, :what, :case_id, :detail, :created_at)
RETURNING id;

-- name: watched(guild_id)^
SELECT words FROM watched WHERE guild_id = :guild_id;

-- name: save_watched(guild_id, words)!
INSERT INTO watched (guild_id, words) VALUES (:guild_id, :words)
ON CONFLICT (guild_id) DO UPDATE SET words = excluded.words;
