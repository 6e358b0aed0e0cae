-- Games made in bulk, straight into the service's tables. Each query fills one table.

-- name: fill_players(count)!
INSERT INTO players (screen_name, avatar, is_subscribed, verified_at, park)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
SELECT 'Player ' || i, 'https://assets.example/avatars/' || i || '.png', i % 3 = 0, NULL, 1 FROM n

-- name: fill_threads(count)!
INSERT INTO threads (name)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
SELECT 'Thread ' || i FROM n

-- name: fill_comments(threads, comments, players, text, begin, step)!
-- Written in turn to each thread, so that a page is scattered over the table, as real talk is. Two
-- replies follow each comment. The hottest order is a shuffle of the latest.
INSERT INTO comments (
    id, thread_id, parent_id, root_id, depth, player_id, content, created_at, children_count,
    replies_count, score
)
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < :comments * 3 - 1)
SELECT
    i + 1,
    i / 3 % :threads + 1,
    CASE WHEN i % 3 > 0 THEN i - i % 3 + 1 END,
    CASE WHEN i % 3 > 0 THEN i - i % 3 + 1 END,
    1,
    i * 31 % :players + 1,
    substr(:text, 1 + i * 7 % 80, 60 + i * 13 % 120),
    :begin + i * :step,
    CASE WHEN i % 3 = 0 THEN 2 ELSE 0 END,
    CASE WHEN i % 3 = 0 THEN 2 ELSE 0 END,
    CASE WHEN i % 3 = 0 THEN i * 7919 % 1000003 ELSE 0 END
FROM n

-- name: fill_thread(thread_id, comments, players, text, begin, step)!
-- Top-level comments alone: nothing but their number makes a page of this thread dear.
INSERT INTO comments (thread_id, depth, player_id, content, created_at, score)
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < :comments - 1)
SELECT
    :thread_id,
    1,
    i * 31 % :players + 1,
    substr(:text, 1 + i * 7 % 80, 60 + i * 13 % 120),
    :begin + i * :step,
    i * 7919 % 1000003
FROM n

-- name: fill_bushy(threads, replies, players, text, begin, step)!
-- Fifteen comments in each thread. Below each are replies to it and to one another in turn.
INSERT INTO comments (
    id, thread_id, parent_id, root_id, depth, player_id, content, created_at, children_count,
    replies_count
)
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < :threads * 15 * (:replies + 1) - 1)
SELECT
    i + 1,
    i / (15 * (:replies + 1)) + 1,
    CASE WHEN i % (:replies + 1) = 0 THEN NULL
         WHEN i % (:replies + 1) % 2 = 1 THEN i - i % (:replies + 1) + 1
         ELSE i END,
    CASE WHEN i % (:replies + 1) > 0 THEN i - i % (:replies + 1) + 1 END,
    CASE WHEN i % (:replies + 1) = 0 OR i % (:replies + 1) % 2 = 1 THEN 1 ELSE 2 END,
    i * 31 % :players + 1,
    substr(:text, 1 + i * 7 % 80, 60 + i * 13 % 120),
    :begin + i * :step,
    CASE WHEN i % (:replies + 1) = 0 THEN :replies / 2
         WHEN i % (:replies + 1) % 2 = 1 THEN 1
         ELSE 0 END,
    CASE WHEN i % (:replies + 1) = 0 THEN :replies ELSE 0 END
FROM n
