-- How often each outcome was reported
SELECT accelerator, suite, month, outcome, count(*) AS results
FROM results
GROUP BY ALL
ORDER BY ALL
