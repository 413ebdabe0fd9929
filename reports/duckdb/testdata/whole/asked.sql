-- Over the pairs that both arms were asked: the differences of the shares over 3, 6 and
-- 10 s (without pairs of which one is not known), of failures (without those that the
-- user left) and of answers outside the contract (where both can be checked). Each has
-- its own pairs, so its own k.
WITH shares AS (
  SELECT session,
    live_us > 3000000 AS live3, cand_us > 3000000 AS cand3, (NOT live_left OR live3) AND (NOT cand_left OR cand3) AS known3,
    live_us > 6000000 AS live6, cand_us > 6000000 AS cand6, (NOT live_left OR live6) AND (NOT cand_left OR cand6) AS known6,
    live_us > 10000000 AS live10, cand_us > 10000000 AS cand10, (NOT live_left OR live10) AND (NOT cand_left OR cand10) AS known10,
    live_failed, cand_failed, NOT live_left AND NOT cand_left AS known_failed,
    live_outside, cand_outside, live_outside IS NOT NULL AND cand_outside IS NOT NULL AS known_outside
  FROM pairs
), sessions AS (
  SELECT
    count(*) FILTER (known3)::DOUBLE AS k3, sum(cand3::TINYINT - live3::TINYINT) FILTER (known3)::DOUBLE AS s3,
    count(*) FILTER (known6)::DOUBLE AS k6, sum(cand6::TINYINT - live6::TINYINT) FILTER (known6)::DOUBLE AS s6,
    count(*) FILTER (known10)::DOUBLE AS k10, sum(cand10::TINYINT - live10::TINYINT) FILTER (known10)::DOUBLE AS s10,
    count(*) FILTER (known_failed)::DOUBLE AS k_failed, sum(cand_failed::TINYINT - live_failed::TINYINT) FILTER (known_failed)::DOUBLE AS failed,
    count(*) FILTER (known_outside)::DOUBLE AS k_outside, sum(cand_outside::TINYINT - live_outside::TINYINT) FILTER (known_outside)::DOUBLE AS outside
  FROM shares GROUP BY session
), total AS (
  SELECT sum(k3) AS n3, sum(k6) AS n6, sum(k10) AS n10, sum(k_failed) AS n_failed, nullif(sum(k_outside), 0) AS n_outside FROM sessions
), estimates AS (
  SELECT clustered(s3, k3, n3) AS over3, clustered(s6, k6, n6) AS over6, clustered(s10, k10, n10) AS over10,
    clustered(failed, k_failed, n_failed) AS failed, clustered(outside, k_outside, n_outside) AS outside
  FROM sessions, total GROUP BY n3, n6, n10, n_failed, n_outside
)
SELECT name, e.n, e.sessions, e.value, e.se, e.df
FROM (UNPIVOT estimates ON COLUMNS(*) INTO NAME name VALUE e)
WHERE e.n > 0
