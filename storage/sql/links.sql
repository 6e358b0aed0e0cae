-- name: find(member_id)^
SELECT * FROM links WHERE member_id = :member_id;

-- name: save(member_id, sealed_token, token_key, linked_at, used_at, locale)!
INSERT INTO links (member_id, sealed_token, token_key, linked_at, used_at, locale)
VALUES (:member_id, :sealed_token, :token_key, :linked_at, :used_at, :locale)
ON CONFLICT (member_id) DO UPDATE
   SET sealed_token = excluded.sealed_token, token_key = excluded.token_key,
       linked_at = excluded.linked_at, used_at = excluded.used_at, locale = excluded.locale,
       kept_until = NULL, is_refused = FALSE,
       player_id = CASE WHEN links.token_key = excluded.token_key THEN links.player_id END,
       player_name = CASE WHEN links.token_key = excluded.token_key THEN links.player_name END;

-- name: tell_replies(member_id, asked_in, is_on)!
UPDATE links SET hears_replies = :is_on, replies_asked_in = :asked_in WHERE member_id = :member_id;

-- name: mark_refused(member_id, sealed_token)!
-- Only the token that was refused: a newer link stays good.
UPDATE links SET is_refused = TRUE
 WHERE member_id = :member_id AND sealed_token = :sealed_token;

-- name: remember_player(member_id, sealed_token, player_id, player_name)!
UPDATE links SET player_id = :player_id, player_name = :player_name
 WHERE member_id = :member_id AND sealed_token = :sealed_token;

-- name: note_use(member_id, used_at)!
UPDATE links SET used_at = :used_at, kept_until = NULL
 WHERE member_id = :member_id AND used_at < :used_at;

-- name: end_unused(used_before, kept_until)
UPDATE links SET kept_until = :kept_until
 WHERE used_at < :used_before AND kept_until IS NULL
RETURNING member_id, is_refused;

-- name: remove(member_id)!
DELETE FROM links WHERE member_id = :member_id;
