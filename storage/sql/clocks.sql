-- name: find()^
SELECT {clock} AS now;
