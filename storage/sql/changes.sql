-- name: numbers()
SELECT topic, number FROM changes;

-- name: count(topic)^
-- Its row is held until the end of the transaction: numbers come to last in their order.
INSERT INTO changes (topic, number) VALUES (:topic, 1)
ON CONFLICT (topic) DO UPDATE SET number = changes.number + 1
RETURNING number;
