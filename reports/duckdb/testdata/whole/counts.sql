-- What states, grades, problems, failures and versions are counted from, per arm and
-- week, with the sums of tokens and costs (nUSD; null where none is known).
SELECT arm, strftime(date_trunc('week', date), '%G-W%V'), reason, judge_state, judge_reason, model, grade, problem, count(*),
  sum(tokens_in), sum(tokens_out), sum(tokens_reasoning), sum(cost_nusd), sum(judge_cost_nusd)
FROM answers WHERE state <> 'not_asked' GROUP BY ALL
