-- name: expired(now)
-- The mutes that have ended by themselves, which nothing has written down yet.
SELECT id, case_id, guild_id FROM removals WHERE ended_at IS NULL AND until <= :now ORDER BY until;

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
SELECT comment_id, player_id, until
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
-- Of what happened at one moment, each entry has a number of its own. NULL means anyone, or
-- anything.
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

-- name: line(line_id)^
SELECT log_lines.*, member_id AS moderator_id, detail AS reason,
       comment_id, thread_id, player_id, player_name
  FROM log_lines LEFT JOIN cases ON cases.id = case_id
 WHERE log_lines.id = :line_id;

-- name: players(guild_id)
SELECT player_name, player_id FROM cases
 WHERE guild_id = :guild_id AND player_name <> ''
 ORDER BY touched_at DESC LIMIT 200;

-- name: case_of(removal_id)^
SELECT id, case_id FROM removals WHERE id = :removal_id;
