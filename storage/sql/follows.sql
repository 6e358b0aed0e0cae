-- name: follow_thread(thread_id, now)!
-- Where it is followed already, its row is held: nobody ends that meanwhile.
INSERT INTO followed_threads (thread_id, followed_at, version, since, failures)
VALUES (:thread_id, :now, 0, 0, 0)
ON CONFLICT (thread_id) DO UPDATE SET followed_at = followed_threads.followed_at;

-- name: add(guild_id, channel_id, channel_kind, thread_id, tag_id, locale, created_by, created_at)^
-- Said again, it goes on where it was paused.
INSERT INTO follows (
    guild_id, channel_id, channel_kind, thread_id, tag_id, locale, created_by, created_at)
VALUES (
    :guild_id, :channel_id, :channel_kind, :thread_id, :tag_id, :locale, :created_by, :created_at)
ON CONFLICT (channel_id, thread_id) DO UPDATE
   SET paused_at = NULL, pause_reason = NULL, channel_kind = excluded.channel_kind,
       tag_id = excluded.tag_id, locale = excluded.locale
RETURNING *;

-- name: find(follow_id)^
SELECT * FROM follows WHERE id = :follow_id;

-- name: of_guild(guild_id)
SELECT * FROM follows WHERE guild_id = :guild_id ORDER BY id;

-- name: of_thread(thread_id)
SELECT * FROM follows WHERE thread_id = :thread_id ORDER BY id;

-- name: remove(follow_id)!
DELETE FROM follows WHERE id = :follow_id;

-- name: unfollow_thread(thread_id)!
DELETE FROM followed_threads
 WHERE thread_id = :thread_id
   AND NOT EXISTS (SELECT 1 FROM follows WHERE thread_id = :thread_id);

-- name: pause(follow_id, paused_at, pause_reason)^
UPDATE follows SET paused_at = :paused_at, pause_reason = :pause_reason
 WHERE id = :follow_id AND paused_at IS NULL
RETURNING *;

-- name: followed()
-- Those that are wished for: of a server that was forgotten, only its wishes go.
SELECT * FROM followed_threads
 WHERE thread_id IN (SELECT thread_id FROM follows)
 ORDER BY thread_id;

-- name: thread(thread_id)^
SELECT * FROM followed_threads WHERE thread_id = :thread_id;

-- name: seen(thread_id)
SELECT * FROM followed_comments WHERE thread_id = :thread_id;

-- name: comment(thread_id, comment_id)^
SELECT * FROM followed_comments WHERE thread_id = :thread_id AND comment_id = :comment_id;

-- name: begin(thread_id, version, since)!
-- Changes no row where others have written meanwhile.
UPDATE followed_threads
   SET version = version + 1, since = :since
 WHERE thread_id = :thread_id AND version = :version;

-- name: keep(thread_id, comment_id, root_id, page, digest, revision, is_gone, written_at, noted_at)!
INSERT INTO followed_comments (
    thread_id, comment_id, root_id, page, digest, revision, is_gone, written_at,
    noted_at)
VALUES (
    :thread_id, :comment_id, :root_id, :page, :digest, :revision, CAST(:is_gone AS BOOLEAN),
    :written_at, :noted_at)
ON CONFLICT (thread_id, comment_id) DO UPDATE
   SET page = excluded.page, digest = excluded.digest, revision = excluded.revision,
       is_gone = excluded.is_gone;

-- name: forget_comments(thread_id, since, oldest)!
-- What is forgotten must not be new again.
DELETE FROM followed_comments
 WHERE thread_id = :thread_id AND written_at <= :since AND noted_at < :oldest;

-- name: forget_posts(thread_id, oldest)!
-- By their age alone, not through all that the thread's channels ever got.
DELETE FROM follow_posts
 WHERE noted_at < :oldest
   AND EXISTS (SELECT 1 FROM follows WHERE id = follow_id AND thread_id = :thread_id);

-- name: note_read(thread_id)!
UPDATE followed_threads SET failures = 0 WHERE thread_id = :thread_id;

-- name: note_failure(thread_id)!
UPDATE followed_threads SET failures = failures + 1 WHERE thread_id = :thread_id;

-- name: posts(thread_id, comment_id)
SELECT follow_posts.*
  FROM follows JOIN follow_posts ON follow_id = follows.id AND comment_id = :comment_id
 WHERE thread_id = :thread_id;

-- name: post(follow_id, comment_id)^
SELECT * FROM follow_posts WHERE follow_id = :follow_id AND comment_id = :comment_id;

-- name: shown_of(guild_id, comment_id)
-- Of a reply in a post no channel is kept: a post has the id of its first message.
SELECT follows.id AS follow_id, COALESCE(one.channel_id, root.message_id) AS channel_id
  FROM follows
  JOIN follow_posts AS one ON one.follow_id = follows.id AND one.comment_id = :comment_id
  JOIN followed_comments AS seen
    ON seen.thread_id = follows.thread_id AND seen.comment_id = :comment_id
  LEFT JOIN follow_posts AS root
    ON root.follow_id = follows.id AND root.comment_id = seen.root_id
 WHERE follows.guild_id = :guild_id AND one.is_alone AND one.message_id IS NOT NULL;

-- name: changed_posts(follow_id)
-- The same of one follow, of all that was ever changed or deleted in the game since it was seen.
SELECT one.comment_id, COALESCE(one.channel_id, root.message_id) AS channel_id
  FROM follow_posts AS one
  JOIN follows ON follows.id = one.follow_id
  JOIN followed_comments AS seen
    ON seen.thread_id = follows.thread_id AND seen.comment_id = one.comment_id
  LEFT JOIN follow_posts AS root
    ON root.follow_id = one.follow_id AND root.comment_id = seen.root_id
 WHERE one.follow_id = :follow_id AND one.is_alone AND one.message_id IS NOT NULL
   AND seen.revision > 0;

-- name: add_post(follow_id, comment_id, delivery, is_alone, noted_at)!
INSERT INTO follow_posts (follow_id, comment_id, delivery, is_alone, state, noted_at)
VALUES (:follow_id, :comment_id, :delivery, CAST(:is_alone AS BOOLEAN), 'owed', :noted_at)
ON CONFLICT (follow_id, comment_id) DO UPDATE
   SET delivery = excluded.delivery, is_alone = excluded.is_alone, state = 'owed',
       channel_id = NULL, message_id = NULL;

-- name: note_answered(follow_id, comment_id, noted_at)!
UPDATE follow_posts SET noted_at = :noted_at
 WHERE follow_id = :follow_id AND comment_id = :comment_id;

-- name: settle(delivery, state, channel_id, message_id)!
UPDATE follow_posts
   SET state = :state, channel_id = :channel_id, message_id = :message_id
 WHERE delivery = :delivery;
