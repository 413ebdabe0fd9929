-- What grades, problems and failures are counted from.
SELECT arm, reason, grade, problem, count(*) FROM answers WHERE state <> 'not_asked' GROUP BY ALL
