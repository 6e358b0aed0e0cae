-- Since 2.0.0 a removal deletes the public messages that show the comment, where 1.0.0 cut it out of
-- them: a message itself is owed to be deleted, and nothing else looks after it.

CREATE TABLE comments_shown (
    shown_id BIGINT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    comment_id BIGINT NOT NULL,
    -- Who wrote it, so that muting a player finds the messages that show them.
    player_id BIGINT,
    -- NULL where 1.0.0 posted it.
    thread_id BIGINT,
    -- Whether the message is about another comment and only quotes this one.
    is_quoted BOOLEAN NOT NULL,
    PRIMARY KEY (shown_id, comment_id)
);
INSERT INTO comments_shown (shown_id, comment_id, player_id, is_quoted)
SELECT shown_id, comment_id, MAX(player_id), MAX(line) < 0 FROM message_comments
 GROUP BY shown_id, comment_id;
DROP TABLE message_comments;
ALTER TABLE comments_shown RENAME TO message_comments;
CREATE INDEX shown_by_comment ON message_comments (comment_id);
CREATE INDEX shown_by_player ON message_comments (player_id) WHERE player_id IS NOT NULL;

-- One request is in flight for each channel, for these as well.
UPDATE messages SET lane = channel_id WHERE kind = 'shared' AND channel_id IS NOT NULL;

-- What was still to be cut out of a message, or was refused, deletes the message. 0 stands for what
-- its writer has deleted.
UPDATE messages
   SET is_wanted = FALSE, priority = 0, wanted = wanted + 1, attempts = 0, kept_until = NULL,
       removal_id = (SELECT COALESCE(MAX(owed.removal_id), 0) FROM messages AS owed
                      WHERE owed.shown_id = messages.id AND owed.state IN ('owed', 'refused')),
       due_at = CASE WHEN message_id IS NOT NULL THEN wanted_at END,
       state = CASE WHEN message_id IS NOT NULL THEN 'owed' ELSE state END
 WHERE id IN (SELECT shown_id FROM messages
               WHERE kind IN ('removal', 'deleted') AND state IN ('owed', 'refused'));
DELETE FROM messages
 WHERE kind = 'deleted' OR kind = 'removal' AND state IN ('owed', 'refused');
-- Of a removal that was undone before all was done.
DELETE FROM messages WHERE kind = 'removal' AND state = 'dropped' AND reason IS NULL;
UPDATE messages SET state = 'unknown' WHERE kind = 'removal' AND reason = 'lost';

DROP INDEX messages_by_shown;
ALTER TABLE messages DROP COLUMN shown_id;

-- Where a comment of a followed thread stands is said by its payload.
UPDATE messages SET kind = 'follow', payload = '{"form": "post", ' || substr(payload, 2)
 WHERE kind = 'follow.post';
UPDATE messages SET kind = 'follow', payload = '{"form": "reply", ' || substr(payload, 2)
 WHERE kind = 'follow.reply';

-- So is what a message for moderators is about, if it is no case's card.
UPDATE messages SET kind = 'case', payload = '{"about": "more", ' || substr(payload, 2)
 WHERE kind = 'case.more';
UPDATE messages SET kind = 'case', payload = '{"about": "closed", ' || substr(payload, 2)
 WHERE kind = 'log.closed';
