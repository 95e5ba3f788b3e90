-- The 10 tests of each suite that took longest on average. Sums of whole microseconds do not depend on
-- the order of the rows.
WITH durations AS (
  SELECT accelerator, suite, month, key,
    count(*) AS runs,
    sum(round(seconds * 1e6)::BIGINT)::BIGINT / runs / 1e6 AS mean_seconds,
    max(round(seconds * 1e6)::BIGINT) / 1e6 AS longest_seconds
  FROM results
  WHERE seconds IS NOT NULL
  GROUP BY accelerator, suite, month, key)
SELECT *
FROM durations
QUALIFY row_number() OVER (
  PARTITION BY accelerator, suite, month ORDER BY mean_seconds DESC, key) <= 10
ORDER BY accelerator, suite, month, mean_seconds DESC, key
