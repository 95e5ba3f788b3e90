-- How many tests of each suite passed in each report, and how many passed or failed
SELECT report, split_part(key, '/', 1) AS suite,
  count(*) FILTER (list_contains(getvariable('good'), outcome)) AS passed,
  passed + count(*) FILTER (list_contains(getvariable('bad'), outcome)) AS counted
FROM results
GROUP BY report, suite
ORDER BY any_value(started), report, suite
