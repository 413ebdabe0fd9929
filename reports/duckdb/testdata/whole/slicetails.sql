-- Per route and per ISO week, over the pairs that both arms were asked: p95 with its
-- interval and the share over 3 s.
SELECT coalesce(route::VARCHAR, strftime(week, '%G-W%V')), count(*),
  count(*) FILTER (live_us = 2147483647), count(*) FILTER (cand_us = 2147483647),
  quantile_cont(live_us, list_select(getvariable('places'), [2, 5, 8])), quantile_cont(cand_us, list_select(getvariable('places'), [2, 5, 8])),
  count(*) FILTER (live_us > 3000000), count(*) FILTER (cand_us > 3000000),
  count(*) FILTER (live_left AND live_us <= 3000000), count(*) FILTER (cand_left AND cand_us <= 3000000)
FROM pairs GROUP BY GROUPING SETS ((route), (week))
