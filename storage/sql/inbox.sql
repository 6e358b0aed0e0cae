-- name: put(member_id, title, sealed_body, created_at)!
INSERT INTO inbox (member_id, title, sealed_body, created_at)
VALUES (:member_id, :title, :sealed_body, :created_at);

-- name: of_member(member_id, after, most)
SELECT id, title, sealed_body, created_at FROM inbox
 WHERE member_id = :member_id AND id > :after
 ORDER BY id
 LIMIT :most;

-- name: remove(message_id)!
DELETE FROM inbox WHERE id = :message_id;
