-- name: add(case_id, member_id, sealed_reason, created_at)!
INSERT INTO reports (case_id, member_id, sealed_reason, created_at)
VALUES (:case_id, :member_id, :sealed_reason, :created_at)
ON CONFLICT (case_id, member_id) DO NOTHING;

-- name: count(member_id, since)^
SELECT COUNT(*) AS count FROM reports WHERE member_id = :member_id AND created_at > :since;

-- name: of_member(member_id)
SELECT case_id FROM reports WHERE member_id = :member_id;

-- name: reopen(case_id)!
UPDATE cases SET dismissed_at = NULL, dismissed_by = NULL WHERE id = :case_id;

-- name: dismiss(case_id, guild_id, dismissed_at, dismissed_by)!
UPDATE cases SET dismissed_at = :dismissed_at, dismissed_by = :dismissed_by
 WHERE id = :case_id AND guild_id = :guild_id AND dismissed_at IS NULL;

-- name: case(case_id)^
SELECT * FROM cases WHERE id = :case_id;

-- name: of_case(case_id, most)
-- The last ones, and how many there are.
SELECT sealed_reason, created_at, COUNT(*) OVER () AS reports FROM reports
 WHERE case_id = :case_id ORDER BY created_at DESC LIMIT :most;

-- name: released(guild_id)
SELECT comment_id, released_text_key FROM cases
 WHERE guild_id = :guild_id AND released_text_key IS NOT NULL;

-- name: hold(case_id, word, rule, is_alert, text_key)!
-- Once for each text, and once more where it only alerted before.
UPDATE cases
   SET hit_word = :word, hit_rule = :rule, hit_is_alert = :is_alert, hit_text_key = :text_key,
       dismissed_at = NULL, dismissed_by = NULL
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
