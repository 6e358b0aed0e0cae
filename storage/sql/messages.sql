-- name: want(kind, key, priority, guild_id, channel_id, member_id, about_member, role_id, lane, payload, stays, now)!
-- What stays is wanted anew, where it is wanted now unless it is there; what is told once is as it was
-- wanted first.
INSERT INTO messages (kind, key, priority, guild_id, channel_id, member_id, about_member, role_id,
                      lane, payload, stays, wanted_at, due_at)
VALUES (:kind, :key, :priority, :guild_id, :channel_id, :member_id, :about_member, :role_id,
        :lane, :payload, :stays, :now, :now)
ON CONFLICT (key) DO UPDATE
   SET payload = excluded.payload, is_wanted = TRUE, removal_id = NULL, is_by_writer = FALSE,
       wanted = messages.wanted + 1, wanted_at = excluded.wanted_at,
       attempts = CASE WHEN messages.due_at IS NULL THEN 0 ELSE messages.attempts END,
       attempted_at = CASE WHEN messages.due_at IS NOT NULL THEN messages.attempted_at END,
       posting = CASE WHEN messages.due_at IS NULL AND messages.message_id IS NULL
                      THEN messages.posting + 1 ELSE messages.posting END,
       channel_id = CASE WHEN messages.message_id IS NULL THEN excluded.channel_id
                         ELSE messages.channel_id END,
       due_at = COALESCE(messages.due_at, excluded.due_at), state = 'owed', kept_until = NULL,
       had_already = CASE WHEN messages.state <> 'dropped' THEN messages.had_already END
 WHERE messages.stays;

-- name: redraw(key, now)!
-- Nothing, where it was never posted, or may have been.
UPDATE messages
   SET wanted = wanted + 1, wanted_at = :now,
       removal_id = CASE WHEN due_at IS NOT NULL OR NOT is_wanted THEN removal_id END,
       is_by_writer = is_by_writer AND (due_at IS NOT NULL OR NOT is_wanted),
       attempts = CASE WHEN due_at IS NULL THEN 0 ELSE attempts END,
       attempted_at = CASE WHEN due_at IS NOT NULL THEN attempted_at END,
       due_at = COALESCE(due_at, :now), state = 'owed', kept_until = NULL
 WHERE key = :key AND (due_at IS NOT NULL OR message_id IS NOT NULL);

-- name: hurry(member_id, kind, now)!
UPDATE messages SET due_at = :now
 WHERE member_id = :member_id AND kind = :kind AND due_at > :now;

-- name: unwant(key, now, kept_until, frees_key)!
-- Its key is free for another one at once, unless the same one may be wanted again. The pause of an
-- earlier try doesn't hold up what is to go.
UPDATE messages
   SET key = CASE WHEN :frees_key THEN key || ' ' || id ELSE key END, is_wanted = FALSE, wanted = wanted + 1, wanted_at = :now,
       attempts = CASE WHEN due_at IS NULL THEN 0 ELSE attempts END,
       due_at = CASE WHEN message_id IS NOT NULL OR attempted_at IS NOT NULL
                     THEN CAST(:now AS BIGINT) END,
       state = CASE WHEN message_id IS NOT NULL OR attempted_at IS NOT NULL
                    THEN 'owed' ELSE 'dropped' END,
       kept_until = CASE WHEN message_id IS NULL AND attempted_at IS NULL
                         THEN CAST(:kept_until AS BIGINT) END
 WHERE key = :key;

-- name: delete(key, now)!
-- A message that is there, or that Discord refused to delete.
UPDATE messages
   SET is_wanted = FALSE, wanted = wanted + 1, wanted_at = :now,
       attempts = CASE WHEN due_at IS NULL THEN 0 ELSE attempts END,
       due_at = :now, state = 'owed', kept_until = NULL
 WHERE key = :key AND message_id IS NOT NULL AND (is_wanted OR state = 'refused');

-- name: note_deleted(key)!
UPDATE messages SET is_wanted = FALSE WHERE key = :key;

-- name: save_payload(key, payload)!
UPDATE messages SET payload = :payload
 WHERE key = :key AND message_id IS NOT NULL AND is_wanted;

-- name: remove(guild_id, comment_id, player_id, removal_id, now)!
-- In all servers, without one. What only quotes it is drawn anew. A message whose number a crash has
-- lost is never due: it counts as not reached.
UPDATE messages
   SET removal_id = :removal_id, is_by_writer = CAST(:removal_id AS BIGINT) IS NULL, priority = 0,
       wanted = wanted + 1, wanted_at = :now,
       is_wanted = is_wanted AND NOT EXISTS (
           SELECT 1 FROM message_comments
            WHERE shown_id = messages.id AND NOT is_quoted
              AND (comment_id = :comment_id OR player_id = :player_id)),
       attempts = CASE WHEN due_at IS NULL THEN 0 ELSE attempts END,
       state = CASE WHEN message_id IS NULL AND due_at IS NULL THEN state ELSE 'owed' END,
       kept_until = CASE WHEN message_id IS NULL AND due_at IS NULL THEN kept_until END,
       due_at = CASE WHEN message_id IS NOT NULL OR due_at IS NOT NULL AND attempted_at IS NOT NULL
                     THEN CAST(:now AS BIGINT) ELSE due_at END
 WHERE id IN (SELECT shown_id FROM message_comments
               WHERE comment_id = :comment_id OR player_id = :player_id)
   AND member_id IS NULL AND (guild_id = :guild_id OR CAST(:guild_id AS BIGINT) IS NULL)
   AND (message_id IS NOT NULL OR due_at IS NOT NULL OR state IN ('posting', 'unknown'));

-- name: redraw_told(comment_id, player_id, now)!
-- What tells a member of a comment asks itself which servers hide that.
UPDATE messages
   SET wanted = wanted + 1, wanted_at = :now,
       attempts = CASE WHEN due_at IS NULL THEN 0 ELSE attempts END,
       attempted_at = CASE WHEN due_at IS NOT NULL THEN attempted_at END,
       due_at = CASE WHEN message_id IS NOT NULL THEN CAST(:now AS BIGINT) ELSE due_at END,
       state = 'owed', kept_until = NULL
 WHERE id IN (SELECT shown_id FROM message_comments
               WHERE comment_id = :comment_id OR player_id = :player_id)
   AND member_id IS NOT NULL AND (due_at IS NOT NULL OR message_id IS NOT NULL);

-- name: begin_posting(key, guild_id, channel_id, now, kept_until)^
-- Nothing, where it was posted or is being posted. Whoever began posts it: it is due once it is to
-- be deleted.
INSERT INTO messages (kind, key, priority, guild_id, channel_id, lane, payload, stays, wanted_at,
                      state, kept_until)
VALUES ('shared', :key, 1, :guild_id, :channel_id, :channel_id, '{}', TRUE, :now, 'posting',
        :kept_until)
ON CONFLICT (key) DO NOTHING
RETURNING id;

-- name: free_stale(key, stale)!
-- A crash came before Discord's answer. What may have been posted is still known by its row.
UPDATE messages SET key = key || ' ' || id, state = 'unknown'
 WHERE key = :key AND state = 'posting' AND wanted_at < :stale;

-- name: free(id)!
UPDATE messages SET key = key || ' ' || id, state = 'unknown' WHERE id = :id;

-- name: place(id, channel_id, kept_until)!
-- What is due is kept as its settling says.
UPDATE messages
   SET channel_id = :channel_id,
       kept_until = CASE WHEN due_at IS NULL THEN CAST(:kept_until AS BIGINT) END
 WHERE id = :id;

-- name: complete(id, message_id, channel_id, now)!
-- What was removed while it was posted is deleted now.
UPDATE messages
   SET message_id = :message_id, channel_id = COALESCE(:channel_id, channel_id),
       state = CASE WHEN due_at IS NOT NULL THEN state WHEN is_wanted THEN 'sent' ELSE 'owed' END,
       due_at = CASE WHEN is_wanted THEN due_at ELSE COALESCE(due_at, CAST(:now AS BIGINT)) END,
       kept_until = CASE WHEN is_wanted THEN kept_until END
 WHERE id = :id;

-- name: forget(message_id)!
DELETE FROM messages WHERE message_id = :message_id AND kind = 'shared';

-- name: leave_posts(id, lasting)!
-- What a channel was shown of a thread stays there, and is drawn anew no more; a removal finds it.
UPDATE messages
   SET key = key || ' ' || id, kept_until = wanted_at + :lasting
 WHERE key IN (SELECT 'follow:' || subscriptions.id || ':' || seen.subject_id
                 FROM subscriptions
                 JOIN seen
                   ON seen.kind = subscriptions.kind AND seen.place_id = subscriptions.place_id
                WHERE subscriptions.id = :id AND subscriptions.kind = 'thread');

-- name: heads(priority, after_lane, most, now)
-- The first row of each lane, in the order of lanes. What is not due lets others pass, or is waited
-- for.
SELECT messages.*
  FROM (SELECT MIN(id) AS head FROM messages
         WHERE due_at IS NOT NULL AND (due_at <= :now OR NOT unblocks_lane) AND priority = :priority
         GROUP BY lane) AS lanes
  JOIN messages ON messages.id = head
 WHERE due_at <= :now
 ORDER BY lane <= :after_lane, lane LIMIT :most;

-- name: hold(id, attempts, wanted, now)!
-- Nothing, where it is settled, or was tried or wanted anew since it was read.
UPDATE messages
   SET attempts = attempts + 1, attempted_at = COALESCE(attempted_at, :now)
 WHERE id = :id AND attempts = :attempts AND wanted = :wanted AND due_at IS NOT NULL;

-- name: settle(id, attempts, wanted, state, message_id, reason, now, kept_until)!
-- What was wanted meanwhile stays due. It was told when it was sent, however often it is edited; a role
-- may be given again. An end that is set already stays.
UPDATE messages
   SET state = CASE WHEN wanted = :wanted THEN :state ELSE 'owed' END,
       due_at = CASE WHEN wanted <> :wanted THEN CAST(:now AS BIGINT) END,
       settled_at = CASE WHEN messages.message_id IS NULL OR about_member IS NOT NULL
                         THEN CAST(:now AS BIGINT)
                         ELSE COALESCE(settled_at, CAST(:now AS BIGINT)) END,
       kept_until = CASE WHEN wanted = :wanted
                         THEN COALESCE(kept_until, CAST(:kept_until AS BIGINT)) END,
       attempts = CASE WHEN wanted = :wanted THEN attempts ELSE 0 END,
       attempted_at = CASE WHEN :state = 'unknown' THEN attempted_at END,
       message_id = :message_id, reason = :reason
 WHERE id = :id AND attempts = :attempts AND due_at IS NOT NULL;

-- name: put_off(id, attempts, wanted, now, due_at, is_doubtful, unblocks_lane, is_gone, reason)!
-- What was taken away meanwhile, or shows what is to go, is due now.
UPDATE messages
   SET due_at = CASE WHEN wanted <> :wanted AND (message_id IS NOT NULL OR NOT is_wanted)
                     THEN CAST(:now AS BIGINT) ELSE CAST(:due_at AS BIGINT) END,
       unblocks_lane = :unblocks_lane,
       reason = CASE WHEN NOT :is_gone THEN CAST(:reason AS TEXT) END,
       attempted_at = CASE WHEN :is_doubtful THEN attempted_at END,
       message_id = CASE WHEN NOT :is_gone THEN message_id END,
       posting = CASE WHEN :is_gone THEN posting + 1 ELSE posting END,
       attempts = CASE WHEN :is_gone OR wanted <> :wanted THEN 0 ELSE attempts END
 WHERE id = :id AND attempts = :attempts AND due_at IS NOT NULL;

-- name: untold(member_id, most)
-- What was refused or may not have arrived, and what waits and was not tried; but for what may wait
-- for an hour.
SELECT * FROM messages
 WHERE member_id = :member_id
   AND (state IN ('refused', 'unknown')
        OR due_at IS NOT NULL AND attempted_at IS NULL AND message_id IS NULL AND priority = 3)
 ORDER BY id LIMIT :most;

-- name: take_back(key, state, kept_until)!
-- Nothing, where it was sent or is being sent.
UPDATE messages
   SET state = :state, due_at = NULL, kept_until = :kept_until
 WHERE key = :key
   AND (state IN ('refused', 'unknown') OR due_at IS NOT NULL AND attempted_at IS NULL);

-- name: doubt_all()!
-- Of a backup: what was owed to Discord then may have been sent since.
UPDATE messages SET attempted_at = COALESCE(attempted_at, wanted_at) WHERE due_at IS NOT NULL;

-- name: note_had(id, had_already)!
UPDATE messages SET had_already = :had_already WHERE id = :id;

-- name: hold_up_role(guild_id, role_id, takes)!
-- Discord is not asked for what it refuses.
UPDATE messages SET state = 'refused', due_at = NULL
 WHERE guild_id = :guild_id AND role_id = :role_id AND due_at IS NOT NULL
   AND (is_wanted OR NOT CAST(:takes AS BOOLEAN));

-- name: resume_role(guild_id, role_id, now)!
UPDATE messages SET state = 'owed', due_at = :now, attempts = 0, reason = NULL
 WHERE guild_id = :guild_id AND role_id = :role_id AND state = 'refused';

-- name: find(key)^
SELECT * FROM messages WHERE key = :key;

-- name: next_due(after)^
SELECT MIN(due_at) AS due_at FROM messages WHERE due_at > :after;

-- name: direct_channel(member_id)^
SELECT channel_id FROM direct_channels WHERE member_id = :member_id;

-- name: save_direct_channel(member_id, channel_id)!
INSERT INTO direct_channels (member_id, channel_id) VALUES (:member_id, :channel_id)
ON CONFLICT (member_id) DO UPDATE SET channel_id = excluded.channel_id;

-- name: forget_direct_channel(member_id)!
DELETE FROM direct_channels WHERE member_id = :member_id;
