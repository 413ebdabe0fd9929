-- Per arm: the median of output tokens, quantiles of tokens per second (streamed
-- answers without reasoning and the time to the first token; whole answers), of
-- reasoning tokens, and the correlation of grade and length.
WITH answered AS (
  SELECT arm, grade, tokens_out, tokens_reasoning, took_us, NOT censored AS timed,
    CASE WHEN stream THEN first_token_us END AS first_us, tokens_out - coalesce(tokens_reasoning, 0) AS tokens
  FROM answers WHERE state = 'answered'
)
SELECT arm, count(tokens_out), quantile_cont(tokens_out::INTEGER, 0.5),
  quantile_cont(tokens / (took_us - first_us) * 1e6, [0.05, 0.5]) FILTER (timed AND tokens >= 0 AND took_us > first_us),
  quantile_cont(tokens_out / took_us * 1e6, [0.05, 0.5]) FILTER (timed AND first_us IS NULL AND took_us > 0),
  count(*) FILTER (tokens_reasoning > 0), quantile_cont(tokens_reasoning::INTEGER, 0.5) FILTER (tokens_reasoning > 0),
  corr(grade, tokens_out)
FROM answered GROUP BY arm
