-- The difference of the share of every problem over graded pairs. Only the pairs whose
-- two answers have different problems count in a session's sum, and most sums are 0: a
-- row per session and problem takes half the time of a column per problem.
WITH sessions AS MATERIALIZED (
  SELECT session, count(*)::DOUBLE AS k FROM pairs WHERE graded GROUP BY session
), total AS MATERIALIZED (
  SELECT n, count(*) AS sessions, sum(k * k / (1 - k / n)) AS k2, freedom(k / n) AS df
  FROM sessions, (SELECT sum(k) AS n FROM sessions) GROUP BY n
), changed AS (
  SELECT session, unnest([live_problem, cand_problem]) AS problem, unnest([-1, 1]::TINYINT[]) AS one
  FROM pairs WHERE graded AND live_problem <> cand_problem
), sums AS (
  SELECT session, problem, sum(one)::DOUBLE AS s FROM changed GROUP BY session, problem
), moments AS (
  SELECT problem, sum(s) AS s, sum(s * s / (1 - k / n)) AS s2, sum(s * k / (1 - k / n)) AS sk
  FROM sums JOIN sessions USING (session), total WHERE s <> 0 GROUP BY problem
)
SELECT problem::VARCHAR, n::BIGINT, sessions, coalesce(s, 0) / n,
  sqrt(greatest(coalesce(s2, 0) - 2 * coalesce(s, 0) / n * coalesce(sk, 0) + (coalesce(s, 0) / n) ^ 2 * k2, 0)) / n, df
FROM total, (SELECT unnest(enum_range(NULL::problem)) AS problem) LEFT JOIN moments USING (problem)
