-- Why a text, an order or a look came to nothing was stored as the name of a class until 2.0.0. What
-- members were told, and are about to be, names it as well: they are told nothing anew.

CREATE TABLE codes (name TEXT PRIMARY KEY, code TEXT NOT NULL);
INSERT INTO codes VALUES
    ('AccountChanged', 'other_account'),
    ('AccountError', 'account'),
    ('AnswerNotTaken', 'answer_not_taken'),
    ('AnsweredGone', 'answered_gone'),
    ('ArrivalUnknown', 'given_up'),
    ('BadId', 'bad_id'),
    ('ChoiceNeeded', 'choice_needed'),
    ('Conflict', 'conflict'),
    ('Forbidden', 'forbidden'),
    ('ForeignRedirect', 'foreign_redirect'),
    ('GivenBack', 'given_back'),
    ('Interrupted', 'interrupted'),
    ('Invalid', 'invalid'),
    ('IsItYours', 'given_up'),
    ('LinkExpired', 'link_expired'),
    ('LinkUnreadable', 'link_unreadable'),
    ('MalformedResponse', 'malformed_answer'),
    ('NotArrived', 'not_arrived'),
    ('NotFound', 'not_found'),
    ('NotKept', 'not_kept'),
    ('NotLinked', 'not_linked'),
    ('NothingNamed', 'nothing_named'),
    ('RateLimited', 'rate_limited'),
    ('Refused', 'refused_by_game'),
    ('ServerFault', 'server_fault'),
    ('SeveralFit', 'several_fit'),
    ('TextUnreadable', 'text_unreadable'),
    ('ThreadNotInGame', 'no_such_thread'),
    ('Timeout', 'timeout'),
    ('TooLate', 'too_late'),
    ('TooManyAtOnce', 'too_many_at_once'),
    ('Unauthorized', 'unauthorized'),
    ('Unavailable', 'unavailable'),
    ('UnknownName', 'unknown_name'),
    ('UnknownOutcome', 'unknown_outcome'),
    ('Unreachable', 'unreachable'),
    -- Nothing is kept back for these any more: they read like a code that is not known.
    ('StoppedByAutomod', 'stopped_by_automod'),
    ('TextTooLong', 'text_too_long');

UPDATE followed SET failure = (SELECT code FROM codes WHERE name = failure)
 WHERE failure IN (SELECT name FROM codes);
UPDATE writes SET reason = (SELECT code FROM codes WHERE name = reason)
 WHERE reason IN (SELECT name FROM codes);
-- A state, and the reason behind it.
UPDATE writes
   SET told = (SELECT substr(told, 1, length(told) - length(name)) || code
                 FROM codes WHERE told LIKE '% ' || name)
 WHERE EXISTS (SELECT 1 FROM codes WHERE told LIKE '% ' || name);
UPDATE messages
   SET key = (SELECT substr(key, 1, length(key) - length(name)) || code
                FROM codes WHERE key LIKE '% ' || name),
       payload = (SELECT replace(payload, ' ' || name || '"', ' ' || code || '"')
                    FROM codes WHERE key LIKE '% ' || name)
 WHERE kind IN ('text', 'order') AND EXISTS (SELECT 1 FROM codes WHERE key LIKE '% ' || name);

DROP TABLE codes;
