-- name: list_comments(sort, thread_id, limit, offset, most_children, most_rows)
-- One page of top-level comments and the comments below them, level by level. Of the two orders,
-- the one not asked for reads nothing. Sorting here would double the cost: the caller does it.
WITH RECURSIVE page AS (
    SELECT id FROM (
        SELECT id FROM comments
        WHERE :sort = 'latest' AND thread_id = :thread_id AND parent_id IS NULL
        ORDER BY id DESC LIMIT :limit OFFSET :offset
    ) AS latest
    UNION ALL
    SELECT id FROM (
        SELECT id FROM comments
        WHERE :sort = 'hottest' AND thread_id = :thread_id AND parent_id IS NULL
        ORDER BY score DESC, id DESC LIMIT :limit OFFSET :offset
    ) AS hottest
),
tree AS (
    SELECT c.id, c.parent_id, c.depth, c.player_id, c.content, c.created_at, c.children_count,
        c.score
    FROM page JOIN comments AS c ON c.id = page.id
    UNION ALL
    SELECT c.id, c.parent_id, c.depth, c.player_id, c.content, c.created_at, c.children_count,
        c.score
    FROM tree JOIN comments AS c
        ON c.parent_id = tree.id AND c.thread_id = :thread_id
        AND c.id >= CASE WHEN tree.children_count > :most_children THEN (
            SELECT newest.id FROM comments AS newest
            WHERE newest.parent_id = tree.id AND newest.thread_id = :thread_id
            ORDER BY newest.id DESC LIMIT 1 OFFSET :most_children - 1
        ) ELSE 0 END
    WHERE tree.children_count > 0
)
SELECT tree.id, tree.parent_id, tree.depth, tree.content, tree.created_at, tree.children_count,
    tree.score, p.id AS player_id, p.avatar, p.is_subscribed, p.screen_name, p.verified_at
FROM tree JOIN players AS p ON p.id = tree.player_id
LIMIT :most_rows

-- name: find_thread(thread_id)
SELECT id FROM threads WHERE id = :thread_id

-- name: find_comment(comment_id)
SELECT c.id, c.thread_id, c.parent_id, c.root_id, c.depth, c.player_id, c.content, c.created_at,
    c.children_count, p.avatar, p.is_subscribed, p.screen_name, p.verified_at
FROM comments AS c JOIN players AS p ON p.id = c.player_id
WHERE c.id = :comment_id

-- name: insert_comment(thread_id, parent_id, root_id, depth, player_id, content, created_at, score)
INSERT INTO comments (thread_id, parent_id, root_id, depth, player_id, content, created_at, score)
VALUES (:thread_id, :parent_id, :root_id, :depth, :player_id, :content, :created_at, :score)
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
