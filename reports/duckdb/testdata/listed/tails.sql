-- Exact quantiles (type 7) of took_us per arm, and how many calls took over 3, 6 and
-- 10 s, with those that the user left before the limit: of them it is not known.
-- A failed call is slower than any limit: it is the largest INTEGER, 36 minutes (a
-- longer time would be an error of the cast; BIGINT takes a third more time). How many
-- there are says which quantiles are no number. A call that the user left counts at
-- the time of leaving.
WITH calls AS (
  SELECT arm, reason IS NOT DISTINCT FROM 'client_abort' AS left_by_user,
    CASE
      WHEN reason = 'client_abort' THEN took_us
      WHEN state = 'failed' OR censored THEN 2147483647
      ELSE took_us
    END::INTEGER AS us
  FROM answers WHERE state <> 'not_asked'
)
SELECT arm, count(*), count(*) FILTER (us = 2147483647), quantile_cont(us, [0.5, 0.95, 0.99]),
  [count(*) FILTER (us > 3000000), count(*) FILTER (us > 6000000), count(*) FILTER (us > 10000000)],
  [count(*) FILTER (left_by_user AND us <= 3000000), count(*) FILTER (left_by_user AND us <= 6000000),
   count(*) FILTER (left_by_user AND us <= 10000000)]
FROM calls GROUP BY arm
