-- name: latest(thread_id, id, limit, rest)
-- The top-level comments of one page and the versions of their trees, from a place in the order on.
-- Without any, the thread's own row remains.
SELECT threads.moves, page.id, page.score, page.version
FROM threads LEFT JOIN (
    SELECT id, score, version FROM comments
    WHERE thread_id = :thread_id AND parent_id IS NULL AND id <= :id
    ORDER BY id DESC LIMIT :limit OFFSET :rest
) AS page ON TRUE
WHERE threads.id = :thread_id ORDER BY page.id DESC

-- name: hottest(thread_id, score, id, limit, rest)
SELECT threads.moves, page.id, page.score, page.version
FROM threads LEFT JOIN (
    SELECT id, score, version FROM comments
    WHERE thread_id = :thread_id AND parent_id IS NULL AND (score, id) <= (:score, :id)
    ORDER BY score DESC, id DESC LIMIT :limit OFFSET :rest
) AS page ON TRUE
WHERE threads.id = :thread_id ORDER BY page.score DESC, page.id DESC

-- name: walk_latest(thread_id, id, step, steps)
-- Every so many comments on the way down an order, as one moment has them.
WITH RECURSIVE walk (n, id) AS (
    SELECT 0, CAST(:id AS BIGINT)
    UNION ALL
    SELECT n + 1, (
        SELECT next.id FROM comments AS next
        WHERE next.thread_id = :thread_id AND next.parent_id IS NULL AND next.id <= walk.id
        ORDER BY next.id DESC LIMIT 1 OFFSET :step
    ) FROM walk WHERE n < :steps AND walk.id IS NOT NULL
)
SELECT threads.moves, walk.n, 0.0 AS score, walk.id FROM threads, walk
WHERE threads.id = :thread_id AND walk.n > 0 AND walk.id IS NOT NULL ORDER BY walk.n

-- name: walk_hottest(thread_id, score, id, step, steps)
WITH RECURSIVE walk (n, score, id) AS (
    SELECT 0, CAST(:score AS DOUBLE PRECISION), CAST(:id AS BIGINT)
    UNION ALL
    SELECT n + 1, c.score, c.id FROM walk JOIN comments AS c ON c.id = (
        SELECT next.id FROM comments AS next
        WHERE next.thread_id = :thread_id AND next.parent_id IS NULL
            AND (next.score, next.id) <= (walk.score, walk.id)
        ORDER BY next.score DESC, next.id DESC LIMIT 1 OFFSET :step
    ) WHERE n < :steps
)
SELECT threads.moves, walk.n, walk.score, walk.id FROM threads, walk
WHERE threads.id = :thread_id AND walk.n > 0 ORDER BY walk.n

-- name: moves_since(thread_id, number)
SELECT number, comment_id, old_score, new_score FROM moves
WHERE thread_id = :thread_id AND number > :number ORDER BY number

-- name: list_trees(thread_id, id_0, id_1, id_2, id_3, id_4, id_5, id_6, id_7, id_8, id_9, id_10, id_11, id_12, id_13, id_14, most_children, most_rows)
-- Top-level comments and all below them, level by level. Sorting here would double the cost: the
-- caller does it.
WITH RECURSIVE tree AS (
    SELECT c.id, c.id AS root_id, c.version, c.parent_id, c.depth, c.player_id, c.content,
        c.created_at, c.children_count
    FROM comments AS c
    WHERE c.id IN (:id_0, :id_1, :id_2, :id_3, :id_4, :id_5, :id_6, :id_7, :id_8, :id_9, :id_10,
        :id_11, :id_12, :id_13, :id_14)
    UNION ALL
    SELECT c.id, tree.root_id, tree.version, c.parent_id, c.depth, c.player_id, c.content,
        c.created_at, c.children_count
    FROM tree JOIN comments AS c
        ON c.parent_id = tree.id AND c.thread_id = :thread_id
        AND c.id >= CASE WHEN tree.children_count > :most_children THEN (
            SELECT newest.id FROM comments AS newest
            WHERE newest.parent_id = tree.id AND newest.thread_id = :thread_id
            ORDER BY newest.id DESC LIMIT 1 OFFSET :most_children - 1
        ) ELSE 0 END
    WHERE tree.children_count > 0
)
SELECT tree.id, tree.root_id, tree.version, tree.parent_id, tree.depth, tree.content,
    tree.created_at, tree.children_count, p.id AS player_id, p.avatar, p.is_subscribed,
    p.screen_name, p.verified_at
FROM tree JOIN players AS p ON p.id = tree.player_id
LIMIT :most_rows

-- name: find_thread(thread_id)
SELECT id, moves FROM threads WHERE id = :thread_id

-- name: find_comment(comment_id)
SELECT c.id, c.thread_id, c.parent_id, c.root_id, c.depth, c.player_id, c.content, c.created_at,
    c.children_count, p.avatar, p.is_subscribed, p.screen_name, p.verified_at
FROM comments AS c JOIN players AS p ON p.id = c.player_id
WHERE c.id = :comment_id

-- name: lock(comment_id)!
-- Holds a row until the transaction ends, on either engine.
UPDATE comments SET version = version WHERE id = :comment_id

-- name: insert_comment(thread_id, parent_id, root_id, depth, player_id, content, created_at, score)
INSERT INTO comments (thread_id, parent_id, root_id, depth, player_id, content, created_at, score)
SELECT id, CAST(:parent_id AS BIGINT), CAST(:root_id AS BIGINT), :depth, :player_id, :content,
    :created_at, :score
FROM threads WHERE id = :thread_id
RETURNING id

-- name: update_content(content, comment_id)!
UPDATE comments SET content = :content WHERE id = :comment_id

-- name: delete_with_replies(comment_id)!
DELETE FROM comments WHERE id IN (
    WITH RECURSIVE doomed AS (
        SELECT id FROM comments WHERE id = :comment_id
        UNION ALL
        SELECT c.id FROM doomed JOIN comments AS c ON c.parent_id = doomed.id
    )
    SELECT id FROM doomed
)

-- name: count_child(change, comment_id)!
UPDATE comments SET children_count = children_count + :change WHERE id = :comment_id

-- name: count_replies(change, comment_id)
UPDATE comments SET replies_count = replies_count + :change WHERE id = :comment_id
RETURNING replies_count, created_at

-- name: set_score(score, comment_id)!
UPDATE comments SET score = :score WHERE id = :comment_id
