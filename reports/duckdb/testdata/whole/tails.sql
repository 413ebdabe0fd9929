-- Per arm, and per arm and week (the trend): the exact quantiles of all calls with
-- their intervals, of answered calls alone and of the first token, and the shares over
-- limits. A failed call is the largest INTEGER, as in the listed tails.sql.
WITH calls AS (
  SELECT arm, date_trunc('week', date)::DATE AS week, reason IS NOT DISTINCT FROM 'client_abort' AS left_by_user,
    CASE
      WHEN reason = 'client_abort' THEN took_us
      WHEN state = 'failed' OR censored THEN 2147483647
      ELSE took_us
    END::INTEGER AS us,
    CASE WHEN state = 'answered' AND NOT censored THEN took_us END::INTEGER AS answered_us,
    CASE
      WHEN NOT stream THEN NULL
      WHEN first_token_us IS NOT NULL THEN first_token_us
      WHEN state = 'answered' THEN NULL
      WHEN reason = 'client_abort' THEN took_us
      ELSE 2147483647
    END::INTEGER AS first_us
  FROM answers WHERE state <> 'not_asked'
)
SELECT arm, strftime(week, '%G-W%V'), count(*), count(*) FILTER (us = 2147483647), quantile_cont(us, getvariable('places')),
  [count(*) FILTER (us > 3000000), count(*) FILTER (us > 6000000), count(*) FILTER (us > 10000000)],
  [count(*) FILTER (left_by_user AND us <= 3000000), count(*) FILTER (left_by_user AND us <= 6000000),
   count(*) FILTER (left_by_user AND us <= 10000000)],
  quantile_cont(answered_us, [0.5, 0.95, 0.99]),
  count(first_us), count(*) FILTER (first_us = 2147483647), quantile_cont(first_us, getvariable('places'))
FROM calls GROUP BY GROUPING SETS ((arm), (arm, week))
