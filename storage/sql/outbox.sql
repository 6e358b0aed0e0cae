-- name: owe(kind, key, priority, channel_id, member_id, lane, payload, created_at)!
INSERT INTO outbox (kind, key, priority, channel_id, member_id, lane, payload, created_at, due_at)
VALUES (:kind, :key, :priority, :channel_id, :member_id, :lane, :payload, :created_at, :created_at)
ON CONFLICT (key) DO NOTHING;

-- name: heads(priority, after_lane, most, now)
-- The first row of each lane, in the order of lanes: from one lane to the next by the index, so
-- that neither many rows nor long lanes are gone through. What lets others pass is no head before
-- it is due, unless it is alone.
WITH RECURSIVE walk (lane, steps) AS (
    SELECT (SELECT MIN(lane) FROM outbox
             WHERE due_at IS NOT NULL AND priority = :priority AND lane > :after_lane), 1
    UNION ALL
    SELECT (SELECT MIN(outbox.lane) FROM outbox
             WHERE due_at IS NOT NULL AND priority = :priority AND outbox.lane > walk.lane),
           steps + 1
      FROM walk
     WHERE walk.lane IS NOT NULL AND steps < :most
)
SELECT head.*
  FROM walk
  JOIN outbox AS head
    ON head.id = COALESCE(
           (SELECT MIN(id) FROM outbox
             WHERE due_at IS NOT NULL AND priority = :priority AND outbox.lane = walk.lane
               AND (due_at <= :now OR NOT lets_pass)),
           (SELECT MIN(id) FROM outbox
             WHERE due_at IS NOT NULL AND priority = :priority AND outbox.lane = walk.lane)
       )
 ORDER BY walk.lane;

-- name: claim(entry_id, attempts, now)!
-- Nothing, where it is settled or another worker has tried it since it was read.
UPDATE outbox
   SET attempts = attempts + 1, attempted_at = COALESCE(attempted_at, :now)
 WHERE id = :entry_id AND attempts = :attempts AND due_at IS NOT NULL;

-- name: settle(entry_id, attempts, state, settled_at, message_id, reason)!
UPDATE outbox
   SET state = :state, due_at = NULL, settled_at = :settled_at, message_id = :message_id,
       reason = :reason
 WHERE id = :entry_id AND attempts = :attempts AND due_at IS NOT NULL;

-- name: put_off(entry_id, attempts, due_at, is_doubtful, lets_pass, reason)!
UPDATE outbox
   SET due_at = :due_at, reason = :reason, lets_pass = :lets_pass,
       attempted_at = CASE WHEN :is_doubtful THEN attempted_at END
 WHERE id = :entry_id AND attempts = :attempts AND due_at IS NOT NULL;

-- name: drop(key, settled_at)!
-- Nothing, where it may have been sent.
UPDATE outbox
   SET state = 'dropped', due_at = NULL, settled_at = :settled_at
 WHERE key = :key AND due_at IS NOT NULL AND attempted_at IS NULL;

-- name: find(key)^
SELECT * FROM outbox WHERE key = :key;

-- name: next_due(after)^
SELECT MIN(due_at) AS due_at FROM outbox WHERE due_at > :after;

-- name: direct_channel(member_id)^
SELECT channel_id FROM direct_channels WHERE member_id = :member_id;

-- name: keep_direct_channel(member_id, channel_id)!
INSERT INTO direct_channels (member_id, channel_id) VALUES (:member_id, :channel_id)
ON CONFLICT (member_id) DO UPDATE SET channel_id = excluded.channel_id;

-- name: forget_direct_channel(member_id)!
DELETE FROM direct_channels WHERE member_id = :member_id;

-- name: waiting(most)^
-- So many are counted at most.
SELECT COUNT(*) AS count, MIN(created_at) AS oldest,
       (SELECT reason FROM outbox WHERE due_at IS NOT NULL ORDER BY created_at, id LIMIT 1)
           AS reason
  FROM (SELECT created_at FROM outbox
         WHERE due_at IS NOT NULL ORDER BY created_at, id LIMIT :most) AS oldest_ones;
