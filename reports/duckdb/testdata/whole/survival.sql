-- Per arm, how many calls end by each of a hundred times from 50 ms on, every one 7 %
-- longer, and how many of those the user left: the share of calls that take longer.
SELECT arm, reason IS NOT DISTINCT FROM 'client_abort',
  histogram(took_us::INTEGER, list_transform(range(100), lambda i: (50000 * 1.07 ** i)::INTEGER))
FROM answers WHERE reason = 'client_abort' OR state = 'answered' AND NOT censored
GROUP BY ALL
