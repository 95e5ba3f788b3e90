-- How many results passed and failed
SELECT accelerator, suite, month,
  count(DISTINCT report) AS reports,
  count(*) AS results,
  count(*) FILTER (list_contains(getvariable('good'), outcome)) AS passed,
  count(*) FILTER (list_contains(getvariable('bad'), outcome)) AS failed,
  passed / nullif(passed + failed, 0) AS pass_rate
FROM results
GROUP BY accelerator, suite, month
ORDER BY ALL
