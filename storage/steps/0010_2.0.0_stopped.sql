-- Since 2.0.0 a subscription is active, or stopped for one reason, with what it missed since then.

ALTER TABLE subscriptions RENAME COLUMN paused_at TO stopped_at;
ALTER TABLE subscriptions RENAME COLUMN paused_after TO missed_after;
-- 'person' or 'unread', or Discord's code for what it refused.
ALTER TABLE subscriptions ADD COLUMN stopped_for TEXT;
UPDATE subscriptions
   SET stopped_for = CASE WHEN pause_reason < 0 THEN 'unread'
                          ELSE COALESCE(CAST(pause_reason AS TEXT), 'person') END
 WHERE stopped_at IS NOT NULL;
ALTER TABLE subscriptions DROP COLUMN pause_reason;
-- What was missed is asked about when a subscription goes on, and at no other time.
UPDATE subscriptions SET missed_after = NULL WHERE stopped_at IS NULL;
-- Of a thread it is the last comment before the stop.
UPDATE subscriptions
   SET missed_after = (SELECT COALESCE(MAX(subject_id), 0) FROM seen
                        WHERE seen.kind = subscriptions.kind
                          AND seen.place_id = subscriptions.place_id)
 WHERE stopped_at IS NOT NULL AND kind = 'thread';

-- Since 2.0.0 no writer is asked which comment is theirs.
ALTER TABLE writes DROP COLUMN ruled_out;
