-- The busy game's rows, in the tables of the usual service. `game` is the attached original.

-- name: copy_players()!
INSERT INTO players (id, avatar_url, is_subscribed, screen_name, verified_at)
SELECT id, avatar, is_subscribed, screen_name, NULL FROM game.players

-- name: copy_threads()!
INSERT INTO threads (id, name) SELECT id, name FROM game.threads

-- name: copy_comments()!
INSERT INTO comments (id, thread_id, parent_id, depth, player_id, content, created_at, score)
SELECT
    id, thread_id, parent_id, depth, player_id, content,
    strftime('%Y-%m-%d %H:%M:%S', created_at / 1000000, 'unixepoch')
    || printf('.%06d', created_at % 1000000),
    score
FROM game.comments
