-- The table of pairs that the other queries read: every sample that both arms were
-- asked, with what the report says of pairs in small types. Sessions, like judges, are
-- hashes of 64 bits (among a million sessions two have the same hash with probability
-- 3e-8), problems and routes are codes, the week comes from the folder's name.
CREATE TYPE problem AS ENUM (
  'none', 'unsafe', 'factual_error', 'invented_detail', 'ignores_context', 'ignores_instruction', 'off_topic', 'incomplete',
  'wrong_refusal', 'bad_reasoning', 'bad_tool_call', 'unclear', 'too_long', 'too_short', 'tone'
);
CREATE TYPE route AS ENUM (SELECT DISTINCT coalesce(route, 'unknown') FROM answers);

-- The CR2 estimate of a mean over n rows in sessions: s is a session's sum, k its
-- number of rows. The squares are of s - k * mean, written out, so that one pass does.
CREATE TEMP MACRO squares(s, k, n) AS
  sum(s * s / (1 - k / n)) - 2 * sum(s) / n * sum(s * k / (1 - k / n)) + (sum(s) / n) * (sum(s) / n) * sum(k * k / (1 - k / n));
CREATE TEMP MACRO freedom(p) AS
  1 / (sum(p * p) + sum(p * p / (1 - p)) * sum(p * p / (1 - p)) - sum((p * p / (1 - p)) * (p * p / (1 - p))));
CREATE TEMP MACRO clustered(s, k, n) AS {
  n: n::BIGINT, sessions: count(*) FILTER (k > 0), value: sum(s) / n,
  se: sqrt(greatest(squares(s, k, n), 0)) / n, df: freedom(k / n)
};

-- Where p50, p95 and p99 are, then the bounds of their intervals (95 %, normal
-- approximation of the ranks). The ranks of all calls of live serve for every part.
SET VARIABLE calls = (SELECT count(*) FROM answers WHERE arm = 'live' AND state <> 'not_asked');
SET VARIABLE places = [0.5, 0.95, 0.99] || list_transform([0.5, 0.95, 0.99], lambda p: greatest(p - 1.96 * sqrt(p * (1 - p) / getvariable('calls')), 0))
  || list_transform([0.5, 0.95, 0.99], lambda p: least(p + 1.96 * sqrt(p * (1 - p) / getvariable('calls')), 1));

CREATE TEMP TABLE pairs AS
WITH calls AS NOT MATERIALIZED (
  SELECT sample, arm, hash(session) AS session, coalesce(route, 'unknown')::route AS route, date_trunc('week', date)::DATE AS week,
    CASE WHEN grade IS NOT NULL THEN hash(judge, judge_pinned) END AS judge, grade::TINYINT AS grade, problem::problem AS problem,
    CASE -- as in the listed tails.sql
      WHEN reason = 'client_abort' THEN took_us
      WHEN state = 'failed' OR censored THEN 2147483647
      ELSE took_us
    END::INTEGER AS us,
    reason IS NOT DISTINCT FROM 'client_abort' AS left_by_user, state = 'failed' AS failed,
    CASE WHEN state = 'answered' THEN NOT conforms END AS outside
  FROM answers WHERE state <> 'not_asked'
)
SELECT live.session, live.route, live.week, coalesce(live.judge = cand.judge, false) AS graded,
  live.grade AS live_grade, cand.grade AS cand_grade, live.problem AS live_problem, cand.problem AS cand_problem,
  live.us AS live_us, cand.us AS cand_us, live.left_by_user AS live_left, cand.left_by_user AS cand_left,
  live.failed AS live_failed, cand.failed AS cand_failed, live.outside AS live_outside, cand.outside AS cand_outside
FROM calls live JOIN calls cand USING (sample)
WHERE live.arm = 'live' AND cand.arm = 'cand-a'
