-- Per route and per ISO week: the estimates over graded pairs.
WITH sessions AS (
  SELECT route, week, count(*)::DOUBLE AS k, sum(live_grade)::DOUBLE AS live, sum(cand_grade)::DOUBLE AS cand,
    count(*) FILTER (cand_grade < live_grade) AS wins, count(*) FILTER (cand_grade > live_grade) AS losses
  FROM pairs WHERE graded GROUP BY GROUPING SETS ((route, session), (week, session))
), estimates AS (
  SELECT sessions.route, sessions.week, clustered(live, k, n) AS live, clustered(cand, k, n) AS cand, clustered(cand - live, k, n) AS delta,
    sum(wins)::BIGINT AS wins, sum(losses)::BIGINT AS losses
  FROM sessions JOIN (SELECT route, week, sum(k) AS n FROM sessions GROUP BY ALL) parts
    ON sessions.route IS NOT DISTINCT FROM parts.route AND sessions.week IS NOT DISTINCT FROM parts.week
  GROUP BY sessions.route, sessions.week, n
)
SELECT coalesce(route::VARCHAR, strftime(week, '%G-W%V')), delta.n, delta.sessions, live.value, live.se, cand.value, cand.se,
  delta.value, delta.se, delta.df, wins, delta.n - wins - losses, losses
FROM estimates
