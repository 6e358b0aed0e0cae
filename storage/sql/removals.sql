-- name: open_case(guild_id, subject, comment_id, thread_id, player_id, player_name, sealed_text, locale, touched_at)^
-- What was known before stays where nothing newer is.
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

-- name: end_expired(case_id, now)!
UPDATE removals SET ended_at = until
 WHERE case_id = :case_id AND ended_at IS NULL AND until <= :now;

-- name: expired(now)
-- The mutes that have ended by themselves, which nothing has written down yet.
SELECT id, case_id, guild_id FROM removals WHERE ended_at IS NULL AND until <= :now ORDER BY until;

-- name: add(case_id, guild_id, moderator_id, reason, locale, created_at, until, is_by_rule)^
-- Nothing, where one is in force.
INSERT INTO removals (case_id, guild_id, moderator_id, reason, locale, created_at, until, is_by_rule)
VALUES (:case_id, :guild_id, :moderator_id, :reason, :locale, :created_at, :until, :is_by_rule)
ON CONFLICT (case_id) WHERE ended_at IS NULL DO NOTHING
RETURNING id;

-- name: change_mute(case_id, moderator_id, reason, until)!
-- Who muted, and why, stays as it was where no reason is given.
UPDATE removals
   SET moderator_id = CASE WHEN :reason = '' THEN moderator_id
                           ELSE CAST(:moderator_id AS BIGINT) END,
       reason = CASE WHEN :reason = '' THEN reason ELSE :reason END,
       is_by_rule = CASE WHEN :reason = '' THEN is_by_rule ELSE FALSE END,
       until = :until
 WHERE case_id = :case_id AND ended_at IS NULL;

-- name: writers_who_asked(guild_id, comment_id, case_id, moderator_id, told, since, most)
-- Those who wrote a comment, by what the game or Kiosk knows, and want to hear what becomes of it;
-- only in a server where they use Kiosk, which tells them of so many comments at most. What they
-- were told of this one is changed.
SELECT links.member_id FROM links
  JOIN member_servers ON member_servers.member_id = links.member_id
                     AND member_servers.guild_id = :guild_id
 WHERE hears_decisions AND links.member_id <> :moderator_id
   AND (player_id = (SELECT player_id FROM cases WHERE id = :case_id)
        OR EXISTS (SELECT 1 FROM writes
                    WHERE result_id = :comment_id AND writes.member_id = links.member_id))
   AND (EXISTS (SELECT 1 FROM messages
                 WHERE key = CAST(:told AS TEXT) || links.member_id AND message_id IS NOT NULL)
        OR :most > (SELECT COUNT(*) FROM messages
                     WHERE messages.member_id = links.member_id AND messages.guild_id = :guild_id
                       AND messages.kind = 'decision'
                       AND (message_id IS NULL AND due_at IS NOT NULL
                            OR message_id IS NOT NULL AND settled_at > :since)));

-- name: decisions_told(guild_id, comment_id)
SELECT key FROM messages JOIN message_comments ON shown_id = messages.id
 WHERE comment_id = :comment_id AND kind = 'decision' AND guild_id = :guild_id;

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

-- name: latest(guild_id, subject)^
SELECT removals.*, comment_id, thread_id, player_id, player_name, sealed_text
  FROM removals JOIN cases ON cases.id = case_id
 WHERE cases.guild_id = :guild_id AND subject = :subject
 ORDER BY removals.id DESC LIMIT 1;

-- name: find(removal_id)^
SELECT removals.*, comment_id, thread_id, player_id, player_name, sealed_text
  FROM removals JOIN cases ON cases.id = case_id
 WHERE removals.id = :removal_id;

-- name: hidden(guild_id, now)
SELECT comment_id, player_id
  FROM removals JOIN cases ON cases.id = case_id
 WHERE removals.guild_id = :guild_id AND ended_at IS NULL AND (until IS NULL OR until > :now);

-- name: in_force(guild_id, most)
SELECT removals.*, comment_id, thread_id, player_id, player_name, sealed_text
  FROM removals JOIN cases ON cases.id = case_id
 WHERE removals.guild_id = :guild_id AND ended_at IS NULL
 ORDER BY removals.id DESC LIMIT :most;

-- name: mutes(guild_id, now, most, skip)
-- The newest first.
SELECT removals.*, comment_id, thread_id, player_id, player_name, sealed_text
  FROM removals JOIN cases ON cases.id = case_id
 WHERE removals.guild_id = :guild_id AND comment_id IS NULL
   AND ended_at IS NULL AND (until IS NULL OR until > :now)
 ORDER BY removals.id DESC LIMIT :most OFFSET :skip;

-- name: count_mutes(guild_id, now)^
SELECT COUNT(*) AS count
  FROM removals JOIN cases ON cases.id = case_id
 WHERE removals.guild_id = :guild_id AND comment_id IS NULL
   AND ended_at IS NULL AND (until IS NULL OR until > :now);

-- name: log(guild_id, moderator_id, player_id, since, at, number, whats, most)
-- Of what happened at one moment, each entry has a number of its own. NULL stands for anybody, or
-- for anything.
SELECT entries.*, comment_id, thread_id, player_id, player_name, sealed_text
  FROM (
    SELECT id * 2 AS number, id, guild_id, case_id, moderator_id, reason, created_at,
           locale, until, is_by_rule, ended_at, ended_by, 'removal' AS what
      FROM removals WHERE guild_id = :guild_id
    UNION ALL
    SELECT id * 2 + 1, id, guild_id, case_id, member_id, detail, created_at,
           '', NULL, FALSE, NULL, NULL, what
      FROM log_lines WHERE guild_id = :guild_id
    ) AS entries
  LEFT JOIN cases ON cases.id = case_id
 WHERE (moderator_id = :moderator_id OR CAST(:moderator_id AS BIGINT) IS NULL)
   AND (player_id = :player_id OR CAST(:player_id AS BIGINT) IS NULL)
   AND (CAST(:whats AS TEXT) LIKE '% ' || what || ' %' OR CAST(:whats AS TEXT) IS NULL)
   AND created_at >= :since AND (created_at, number) < (:at, :number)
 ORDER BY created_at DESC, number DESC LIMIT :most;

-- name: players(guild_id)
SELECT player_name, player_id FROM cases
 WHERE guild_id = :guild_id AND player_name <> ''
 ORDER BY touched_at DESC LIMIT 200;

-- name: end(removal_id, ended_at, ended_by)!
UPDATE removals SET ended_at = :ended_at, ended_by = :ended_by
 WHERE id = :removal_id AND ended_at IS NULL;

-- name: case_of(removal_id)^
SELECT id, case_id FROM removals WHERE id = :removal_id;

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
-- The reports of what waits since it was last decided, and whether others have reported the same;
-- `what_waits` stands for the query of storage/sql/moderation.sql, here and below.
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
-- waits; or the one who reported it at a moment, whatever became of it. `all_reports` stands for the
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

-- name: line(line_id)^
SELECT log_lines.*, member_id AS moderator_id, detail AS reason,
       comment_id, thread_id, player_id, player_name
  FROM log_lines LEFT JOIN cases ON cases.id = case_id
 WHERE log_lines.id = :line_id;

-- name: dismiss(case_id, guild_id, dismissed_at, dismissed_by)!
UPDATE cases
   SET dismissed_at = :dismissed_at, dismissed_by = :dismissed_by, decided_at = :dismissed_at
 WHERE id = :case_id AND guild_id = :guild_id AND dismissed_at IS NULL AND NOT is_gone;

-- name: case(case_id)^
SELECT cases.*, held_texts.sealed_text AS sealed_first
  FROM cases LEFT JOIN held_texts ON case_id = cases.id WHERE cases.id = :case_id;

-- name: is_undecided(comment_id)^
SELECT 1 FROM cases WHERE comment_id = :comment_id AND dismissed_at IS NULL AND NOT is_gone LIMIT 1;

-- name: reports_of_case(case_id, most)
-- The last ones, and how many there are.
SELECT sealed_reason, created_at, COUNT(*) OVER () AS reports,
       MIN(created_at) OVER () AS first_at
  FROM reports
 WHERE case_id = :case_id ORDER BY created_at DESC LIMIT :most;

-- name: cards_of_player(guild_id, player_id)
-- Of the comments that moderators have yet to decide about; some have no card of their own.
SELECT cases.id, key IS NOT NULL AS has_card
  FROM cases LEFT JOIN messages ON key = 'case ' || cases.id
 WHERE cases.guild_id = :guild_id AND cases.player_id = :player_id AND comment_id IS NOT NULL
   AND dismissed_at IS NULL
   AND (key IS NOT NULL OR hit_text_key IS NOT NULL
        OR EXISTS (SELECT 1 FROM reports WHERE case_id = cases.id))
   AND NOT EXISTS (SELECT 1 FROM removals WHERE case_id = cases.id AND ended_at IS NULL);

-- name: released(guild_id)
SELECT subject, released_text_key FROM cases
 WHERE guild_id = :guild_id AND released_text_key IS NOT NULL;

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

-- name: hold(case_id, word, text_key, written_at)!
-- Once for each text.
UPDATE cases
   SET hit_word = :word, hit_text_key = :text_key, written_at = :written_at,
       dismissed_at = NULL, dismissed_by = NULL, is_gone = FALSE
 WHERE id = :case_id AND (hit_text_key IS NULL OR hit_text_key <> :text_key);

-- name: hold_text(case_id, sealed_text)!
INSERT INTO held_texts (case_id, sealed_text) VALUES (:case_id, :sealed_text)
ON CONFLICT (case_id) DO NOTHING;

-- name: release(case_id, guild_id, released_at, released_by)!
-- That decides about the reports from before as well.
UPDATE cases
   SET released_text_key = hit_text_key, released_by = :released_by,
       dismissed_at = :released_at, dismissed_by = :released_by, decided_at = :released_at
 WHERE id = :case_id AND guild_id = :guild_id AND hit_text_key IS NOT NULL AND NOT is_gone
   AND (released_text_key IS NULL OR released_text_key <> hit_text_key);
