-- How often a problem of live met a problem of the candidate, over graded pairs: both,
-- only one, neither of every problem follow from it.
SELECT live_problem::VARCHAR, cand_problem::VARCHAR, count(*) FROM pairs WHERE graded GROUP BY live_problem, cand_problem
