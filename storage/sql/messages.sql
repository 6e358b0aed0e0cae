-- The row of a message: what each column may hold in which state, and who changes it. The query
-- `outside_states` below says the same. `Messages` (storage/messages.py) runs all statements of this
-- file. Rows are deleted by storage/sql/retention.sql, and by `forget`.
--
-- state     what it says                        due_at  message_id  attempted_at  kept_until
-- posting   an interaction posts it, or died    NULL    NULL        NULL          set
--           before Discord answered
-- owed      Discord is to post, edit or delete  set     if there    if in doubt   NULL (1)
--           it
-- sent      Discord has it as it is wanted      NULL    if any (2)  NULL          NULL if it stays
-- refused   Discord doesn't take it as it is    NULL    if there    NULL (3)      NULL if it stays
--           wanted
-- unknown   it may be there, and no one can     NULL    NULL        set (4)       NULL if it stays
--           find out any more
-- dropped   it is gone, or was never posted     NULL    NULL (5)    NULL          set (6)
--
-- (1) Set for a post of a thread that `leave_posts` has left.
-- (2) The role's number, if Kiosk gave that. NULL if the member had it already. NULL, too, if the
--     message was deleted since, if there is none to post, or if it was told privately.
-- (3) Set for a role that was held up during a try, and while a member is told privately.
-- (4) NULL for what an interaction posted.
-- (5) Set for a direct message that could not be edited, if nothing was left to tell privately.
-- (6) NULL for what a removal deleted: its end is on record with the removal.
--
-- due_at           When it may be tried next. NULL means one thing: there is nothing to ask Discord.
-- is_wanted        Whether it shall be there, or be deleted. Never FALSE in the state sent.
-- wanted           Counts what was wanted: `settle` and `put_off` leave due what is newer than a try.
-- attempts         Counts tries since then, before each: who holds an older number has lost the row.
-- attempted_at     The first try that may have got through without an answer.
-- posting          Counts the messages that it was. With the id, it is the nonce.
-- unblocks_lane    Whether others of the lane pass it until `due_at`. It says nothing later.
-- reason           Why the last try was refused or put off.
-- settled_at       When it was told first, or when the last answer about a role came. NULL before,
--                  and for what an interaction posted.
-- had_already      Of a role, whether the member had it before Kiosk gave it; NULL until Kiosk asked.
-- removal_id       The removal for which it is deleted or redrawn. Never with `is_by_writer`, and
-- is_by_writer     never of a direct message or a role: `redraw_told` redraws these.
--
-- statement        who calls it, and what it changes
-- want             A feature wants it: none, or any that stays -> owed.
-- redraw           Something that it shows has changed: what is there or coming -> owed.
-- redraw_told      The same for direct messages, about a comment that is removed.
-- save_payload     A manager changed what an announcement says. `redraw` follows.
-- unwant           A feature no longer wants it: -> owed if Discord may have it, else dropped.
-- delete           A manager deletes an announcement: what is there -> owed.
-- note_deleted     An announcement was deleted in Discord: it is never posted again.
-- remove           A comment was removed: -> owed. What is posting or unknown is only marked.
-- hurry            The member can be told now: an owed message is due at once.
-- begin_posting    An interaction begins: none -> posting.
-- place            The channel is known, just before it is posted.
-- complete         Discord told the number: posting -> sent, or owed if it was removed since.
-- free, free_stale The interaction failed, or died a minute ago: posting -> unknown.
-- forget           The member took back what they shared: the row is deleted.
-- leave_posts      A channel no longer follows a thread: its posts stay there as they are.
-- hold             The dispatcher tries it: an owed message counts one more try.
-- settle           The dispatcher has an end: owed -> that, or still owed if wanted again since.
-- put_off          The dispatcher has no end: still owed, later.
-- take_back        The member is told privately: refused, unknown, or never tried -> refused while
--                  that lasts, then sent or dropped.
-- hold_up_role     Discord or Kiosk refuses a role: all who are to have it -> refused.
-- resume_role      It may work now: refused -> owed.
-- note_had         What Discord says of a role just before Kiosk gives it.
-- doubt_all        A backup was restored: all that is owed may be there.
--
-- what Discord answers (bot/ui/messages/verdicts.py)       what the dispatcher writes
-- done                                                     settle: sent, with its number
-- deleted, or an unknown message that is to be deleted     settle: dropped
-- an unknown message that is to be edited                  as its kind says, settle: dropped or sent;
--                                                          or put_off, to post it again
-- a refusal for good                                       settle: refused, number as it was; if its
--                                                          kind pauses, only the second time
-- rate limited, a failure of Discord's, no connection      put_off
-- no answer                                                put_off in doubt, unless it does no harm
--                                                          twice; after 75 seconds settle: unknown

-- name: want(kind, key, priority, guild_id, channel_id, member_id, about_member, role_id, lane, payload, stays, now)!
-- What stays is wanted again, in the channel that is wanted now, unless it is there. What is told
-- once is as it was wanted first.
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
-- Nothing, if it was never posted, or may have been.
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
-- earlier try doesn't hold up a deletion.
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
-- In all servers, without one. What only quotes it is redrawn. A message whose number a crash has
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
-- What tells a member about a comment checks itself which servers hide that.
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
-- Nothing, if it was posted or is being posted. Who began posts it: it is due once it is to be
-- deleted.
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
-- A due message is kept as its settling says.
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
-- What a channel was shown of a thread stays there, and is no longer redrawn. A removal finds it.
UPDATE messages
   SET key = key || ' ' || id, kept_until = wanted_at + :lasting
 WHERE key IN (SELECT 'follow:' || subscriptions.id || ':' || seen.subject_id
                 FROM subscriptions
                 JOIN seen
                   ON seen.kind = subscriptions.kind AND seen.place_id = subscriptions.place_id
                WHERE subscriptions.id = :id AND subscriptions.kind = 'thread');

-- name: heads(priority, after_lane, most, now)
-- The first row of each lane, in the order of lanes. A row that isn't due lets others pass, or
-- others wait for it. Members whose direct channel has yet to be opened, which takes its time, come
-- last.
SELECT messages.*
  FROM (SELECT MIN(id) AS head FROM messages
         WHERE due_at IS NOT NULL AND (due_at <= :now OR NOT unblocks_lane) AND priority = :priority
         GROUP BY lane) AS lanes
  JOIN messages ON messages.id = head
 WHERE due_at <= :now
 ORDER BY member_id IS NOT NULL AND NOT EXISTS (
              SELECT 1 FROM direct_channels
               WHERE direct_channels.member_id = messages.member_id),
          lane <= :after_lane, lane LIMIT :most;

-- name: hold(id, attempts, wanted, now)!
-- Nothing, if it is settled, or was tried or wanted again since it was read.
UPDATE messages
   SET attempts = attempts + 1, attempted_at = COALESCE(attempted_at, :now)
 WHERE id = :id AND attempts = :attempts AND wanted = :wanted AND due_at IS NOT NULL;

-- name: settle(id, attempts, wanted, state, message_id, reason, now, kept_until)!
-- What was wanted since stays due. It was told when it was sent, however often it is edited. A role
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
-- What was taken away since, or shows something to be deleted, is due now.
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
-- What was refused or may not have arrived, and what waits and was not tried, except what may wait
-- for an hour.
SELECT * FROM messages
 WHERE member_id = :member_id
   AND (state IN ('refused', 'unknown')
        OR due_at IS NOT NULL AND attempted_at IS NULL AND message_id IS NULL AND priority = 3)
 ORDER BY id LIMIT :most;

-- name: take_back(key, state, kept_until)!
-- Nothing, if it was sent or is being sent.
UPDATE messages
   SET state = :state, due_at = NULL, kept_until = :kept_until,
       attempted_at = CASE WHEN :state = 'refused' THEN attempted_at END
 WHERE key = :key
   AND (state IN ('refused', 'unknown') OR due_at IS NOT NULL AND attempted_at IS NULL);

-- name: doubt_all()!
-- Of a backup: what was pending then may have been sent since.
UPDATE messages SET attempted_at = COALESCE(attempted_at, wanted_at) WHERE due_at IS NOT NULL;

-- name: note_had(id, had_already)^
-- That they didn't have it stays: a role that another process finds later may be from Kiosk.
UPDATE messages
   SET had_already = COALESCE(had_already, TRUE) AND CAST(:had_already AS BOOLEAN)
 WHERE id = :id
RETURNING had_already;

-- name: hold_up_role(guild_id, role_id, takes)!
-- Discord is not asked for what it refuses.
UPDATE messages SET state = 'refused', due_at = NULL
 WHERE guild_id = :guild_id AND role_id = :role_id AND due_at IS NOT NULL
   AND (is_wanted OR NOT CAST(:takes AS BOOLEAN));

-- name: resume_role(guild_id, role_id, now)!
UPDATE messages SET state = 'owed', due_at = :now, attempts = 0, reason = NULL
 WHERE guild_id = :guild_id AND role_id = :role_id AND state = 'refused';

-- name: outside_states()
-- The rows that the tables above don't describe: there are none.
SELECT * FROM messages
 WHERE (due_at IS NULL) = (state = 'owed')
    OR CASE state
       WHEN 'posting' THEN
            kind <> 'shared' OR kept_until IS NULL OR message_id IS NOT NULL
            OR attempts > 0 OR attempted_at IS NOT NULL OR posting > 0 OR unblocks_lane
            OR settled_at IS NOT NULL OR reason IS NOT NULL OR key LIKE '% ' || id
       WHEN 'owed' THEN kept_until IS NOT NULL AND key NOT LIKE '% ' || id
       WHEN 'sent' THEN
            NOT is_wanted OR attempted_at IS NOT NULL
            OR about_member IS NOT NULL
               AND (had_already IS NULL OR had_already = (message_id IS NOT NULL))
       WHEN 'refused' THEN
            attempted_at IS NOT NULL AND about_member IS NULL AND member_id IS NULL
       WHEN 'unknown' THEN
            message_id IS NOT NULL OR about_member IS NOT NULL
            OR (attempted_at IS NULL) <> (kind = 'shared')
            OR kind = 'shared' AND key NOT LIKE '% ' || id
       WHEN 'dropped' THEN
            attempted_at IS NOT NULL OR message_id IS NOT NULL AND member_id IS NULL
            OR kept_until IS NULL AND removal_id IS NULL
       ELSE TRUE END
    OR kept_until IS NULL AND state <> 'owed' AND NOT stays
    OR removal_id IS NOT NULL AND is_by_writer
    OR (removal_id IS NOT NULL OR is_by_writer)
       AND (member_id IS NOT NULL OR about_member IS NOT NULL)
    OR (about_member IS NULL) <> (role_id IS NULL)
    OR about_member IS NULL AND had_already IS NOT NULL
    -- 0 means nothing.
    OR 0 IN (lane, channel_id, member_id, about_member, role_id, guild_id, message_id, removal_id);

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
