-- name: hear(member_id, is_on)!
UPDATE links SET hears_decisions = :is_on WHERE member_id = :member_id;

-- name: writers_who_asked(guild_id, comment_id, case_id, moderator_id, told, since, most)
-- Those who wrote a comment, by what the game or Kiosk knows, and want to know about its removal:
-- only in a server where they use Kiosk, and for so many comments at most. What they were told
-- about this one is changed.
SELECT links.member_id FROM links
  JOIN member_servers ON member_servers.member_id = links.member_id
                     AND member_servers.guild_id = :guild_id
 WHERE hears_decisions AND links.member_id <> :moderator_id
   AND (player_id = (SELECT player_id FROM cases WHERE id = :case_id)
        OR EXISTS (SELECT 1 FROM writes
                    WHERE result_id = :comment_id AND writes.member_id = links.member_id))
   AND (EXISTS (SELECT 1 FROM messages
                 WHERE key = CAST(:told AS TEXT) || links.member_id AND message_id IS NOT NULL)
        OR :most > (SELECT COUNT(*) FROM messages
                     WHERE messages.member_id = links.member_id AND messages.guild_id = :guild_id
                       AND messages.kind = 'decision'
                       AND (message_id IS NULL AND due_at IS NOT NULL
                            OR message_id IS NOT NULL AND settled_at > :since)));

-- name: decisions_told(guild_id, comment_id)
SELECT key FROM messages JOIN message_comments ON shown_id = messages.id
 WHERE comment_id = :comment_id AND kind = 'decision' AND guild_id = :guild_id;
