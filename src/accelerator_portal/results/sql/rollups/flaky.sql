-- Tests that both passed and failed on the same code. Results without a PyTorch version don't count.
WITH by_code AS (
  SELECT accelerator, suite, month, key,
    count(*) FILTER (list_contains(getvariable('good'), outcome)) AS passed,
    count(*) FILTER (list_contains(getvariable('bad'), outcome)) AS failed
  FROM results
  WHERE torch IS NOT NULL
  GROUP BY accelerator, suite, month, key,
    torch, torch_commit, plugin_version, plugin_commit, "commit"
  HAVING passed > 0 AND failed > 0)
SELECT accelerator, suite, month, key,
  sum(passed)::BIGINT AS passed, sum(failed)::BIGINT AS failed
FROM by_code
GROUP BY accelerator, suite, month, key
ORDER BY ALL
