-- name: find_player_by_token(hash)
SELECT p.id, p.is_subscribed, p.park
FROM tokens AS t JOIN players AS p ON p.id = t.player_id
WHERE t.hash = :hash
