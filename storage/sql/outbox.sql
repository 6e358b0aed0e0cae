-- name: owe(kind, key, priority, channel_id, member_id, lane, payload, created_at)!
INSERT INTO outbox (kind, key, priority, channel_id, member_id, lane, payload, created_at, due_at)
VALUES (:kind, :key, :priority, :channel_id, :member_id, :lane, :payload, :created_at, :created_at)
ON CONFLICT (key) DO NOTHING;

-- name: heads(priority, after_lane, most, now)
-- The first row of each lane, in the order of lanes. What lets others pass is no head before it is
-- due, unless it is alone.
SELECT outbox.*
  FROM (SELECT lane, MIN(id) AS first,
               MIN(CASE WHEN due_at <= :now OR NOT lets_pass THEN id END) AS head
          FROM outbox
         WHERE due_at IS NOT NULL AND priority = :priority AND lane > :after_lane
         GROUP BY lane ORDER BY lane LIMIT :most) AS lanes
  JOIN outbox ON outbox.id = COALESCE(head, first)
 ORDER BY outbox.lane;

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

-- name: waiting()^
SELECT COUNT(*) AS count, MIN(created_at) AS oldest,
       (SELECT reason FROM outbox WHERE due_at IS NOT NULL ORDER BY created_at, id LIMIT 1)
           AS reason
  FROM outbox WHERE due_at IS NOT NULL;
