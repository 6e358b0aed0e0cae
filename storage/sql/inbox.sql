-- name: put(member_id, title, sealed_body, created_at)!
INSERT INTO inbox (member_id, title, sealed_body, created_at)
VALUES (:member_id, :title, :sealed_body, :created_at);

-- name: of_member(member_id)
SELECT id, title, sealed_body, created_at FROM inbox WHERE member_id = :member_id ORDER BY id;

-- name: remove(message_id)!
DELETE FROM inbox WHERE id = :message_id;
