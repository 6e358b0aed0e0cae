-- name: begin(pressed, created_at, stale)^
-- Nothing, where it was shared or is being shared; a crash may have come before.
INSERT INTO shares (pressed, created_at) VALUES (:pressed, :created_at)
ON CONFLICT (pressed) DO UPDATE SET created_at = excluded.created_at
      WHERE shares.message_id IS NULL AND shares.created_at < :stale
RETURNING pressed;

-- name: complete(pressed, message_id)!
UPDATE shares SET message_id = :message_id WHERE pressed = :pressed;

-- name: forget(pressed)!
DELETE FROM shares WHERE pressed = :pressed;

-- name: forget_message(message_id)!
DELETE FROM shares WHERE message_id = :message_id;
