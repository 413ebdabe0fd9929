-- Per arm, and per arm and week: the mean of all its grades. Few sessions lie in two
-- weeks, but the files' rows need to be grouped only once.
WITH weekly AS MATERIALIZED (
  SELECT arm, week, session, count(*) AS k, sum(grade) AS s
  FROM (SELECT arm, date_trunc('week', date)::DATE AS week, hash(session) AS session, grade::TINYINT AS grade FROM answers WHERE grade IS NOT NULL)
  GROUP BY arm, week, session
), sessions AS (
  SELECT arm, week, k::DOUBLE AS k, s::DOUBLE AS s FROM weekly
  UNION ALL
  SELECT arm, NULL, sum(k)::DOUBLE, sum(s)::DOUBLE FROM weekly GROUP BY arm, session
), estimates AS (
  SELECT sessions.arm, sessions.week, clustered(s, k, n) AS e
  FROM sessions JOIN (SELECT arm, week, sum(k)::DOUBLE AS n FROM weekly GROUP BY GROUPING SETS ((arm), (arm, week))) parts
    ON sessions.arm = parts.arm AND sessions.week IS NOT DISTINCT FROM parts.week
  GROUP BY sessions.arm, sessions.week, n
)
SELECT arm, strftime(week, '%G-W%V'), e.n, e.sessions, e.value, e.se, e.df FROM estimates
