-- name: report(case_id, member_id, sealed_reason, created_at)!
INSERT INTO reports (case_id, member_id, sealed_reason, created_at)
VALUES (:case_id, :member_id, :sealed_reason, :created_at)
ON CONFLICT (case_id, member_id) DO NOTHING;

-- name: count_reports(member_id, since)^
SELECT COUNT(*) AS count FROM reports WHERE member_id = :member_id AND created_at > :since;

-- name: reports_of_member(member_id)
SELECT case_id FROM reports WHERE member_id = :member_id;

-- name: reopen(case_id)!
UPDATE cases SET dismissed_at = NULL, dismissed_by = NULL, is_gone = FALSE WHERE id = :case_id;

-- name: reports_waiting()
-- The reports of what waits since it was last decided, and whether others have reported the same.
-- `what_waits` is the query `waiting` of storage/sql/cases.sql, here and below.
SELECT reports.case_id, reports.member_id,
       EXISTS (SELECT 1 FROM reports AS others
                WHERE others.case_id = reports.case_id AND others.member_id <> reports.member_id
                  AND others.created_at > COALESCE(decided_at, 0)
                  AND others.created_at > COALESCE((SELECT MAX(ended_at) FROM removals
                                                     WHERE removals.case_id = cases.id), 0)
           ) AS is_shared
  FROM reports
  JOIN cases ON cases.id = reports.case_id
  JOIN (what_waits) AS cases_waiting ON cases_waiting.case_id = reports.case_id
 WHERE kind = 'reports' AND reports.created_at > COALESCE(decided_at, 0)
   AND reports.created_at > COALESCE((SELECT MAX(ended_at) FROM removals
                                       WHERE removals.case_id = cases.id), 0);

-- name: one_reporter(case_id, reported_at)^
-- Of those who reported a case since it was last decided, the one who alone reported the most that
-- waits, or the one who reported it at a moment, whatever happened to it. `all_reports` is the
-- query above.
SELECT MIN(theirs.created_at) AS reported_at,
       COUNT(CASE WHEN NOT is_shared THEN 1 END) AS count,
       COUNT(CASE WHEN is_shared THEN 1 END) AS others
  FROM reports AS theirs
  JOIN (all_reports) AS waiting_reports ON waiting_reports.member_id = theirs.member_id
 WHERE theirs.case_id = :case_id
   AND (theirs.created_at = :reported_at OR CAST(:reported_at AS BIGINT) IS NULL)
 GROUP BY theirs.member_id
HAVING CAST(:reported_at AS BIGINT) IS NOT NULL
    OR COUNT(CASE WHEN waiting_reports.case_id = :case_id THEN 1 END) > 0
 ORDER BY count DESC, theirs.member_id LIMIT 1;

-- name: dismiss(case_id, guild_id, dismissed_at, dismissed_by)!
UPDATE cases
   SET dismissed_at = :dismissed_at, dismissed_by = :dismissed_by, decided_at = :dismissed_at
 WHERE id = :case_id AND guild_id = :guild_id AND dismissed_at IS NULL AND NOT is_gone;

-- name: dismiss_by(case_id, reported_at, now, dismissed_by)!
UPDATE cases SET dismissed_at = :now, dismissed_by = :dismissed_by, decided_at = :now
 WHERE dismissed_at IS NULL
   AND id IN (SELECT case_id FROM (all_reports) AS waiting_reports
               WHERE NOT is_shared
                 AND member_id = (SELECT MIN(member_id) FROM reports
                                   WHERE case_id = :case_id AND created_at = :reported_at));

-- name: dismiss_about(player_id, now, dismissed_by)!
UPDATE cases SET dismissed_at = :now, dismissed_by = :dismissed_by, decided_at = :now
 WHERE dismissed_at IS NULL
   AND id IN (SELECT case_id FROM (what_waits) AS cases_waiting
               WHERE kind = 'reports' AND player_id = :player_id);

-- name: stop_reports(case_id, reported_at, guild_id, until, stopped_by, now)!
INSERT INTO report_stops (guild_id, member_id, until, stopped_by, created_at)
SELECT CAST(:guild_id AS BIGINT), MIN(member_id), CAST(:until AS BIGINT),
       CAST(:stopped_by AS BIGINT), CAST(:now AS BIGINT)
  FROM reports
 WHERE case_id = :case_id AND created_at = :reported_at
 GROUP BY case_id
ON CONFLICT (guild_id, member_id) DO UPDATE
   SET until = excluded.until, stopped_by = excluded.stopped_by, created_at = excluded.created_at;

-- name: stopped_until(guild_id, member_id, now)^
SELECT until FROM report_stops
 WHERE guild_id = :guild_id AND member_id = :member_id AND until > :now;
