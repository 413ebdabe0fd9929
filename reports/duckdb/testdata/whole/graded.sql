-- Over graded pairs: the estimates of both means, the difference, the net win rate, and
-- the difference of the shares of grades 5-6.
WITH sessions AS (
  SELECT count(*)::DOUBLE AS k,
    sum(live_grade)::DOUBLE AS mean_live, sum(cand_grade)::DOUBLE AS mean_candidate,
    sum(cand_grade - live_grade)::DOUBLE AS delta, sum(sign(live_grade - cand_grade))::DOUBLE AS net,
    sum((cand_grade >= 5)::TINYINT - (live_grade >= 5)::TINYINT)::DOUBLE AS poor
  FROM pairs WHERE graded GROUP BY session
), total AS (
  SELECT sum(k) AS n FROM sessions
), estimates AS (
  SELECT clustered(COLUMNS(sessions.* EXCLUDE (k)), k, n) FROM sessions, total GROUP BY n
)
SELECT name, e.n, e.sessions, e.value, e.se, e.df
FROM (UNPIVOT estimates ON COLUMNS(*) INTO NAME name VALUE e)
