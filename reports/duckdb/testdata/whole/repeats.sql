-- How many rows come again for the same sample and arm.
SELECT coalesce(sum(greatest(live - 1, 0) + greatest(cand - 1, 0)), 0)::BIGINT
FROM (SELECT count(*) FILTER (arm = 'live') AS live, count(*) FILTER (arm = 'cand-a') AS cand FROM answers GROUP BY sample)
