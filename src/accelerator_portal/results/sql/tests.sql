-- The state of each test of one accelerator after all reports. `codes` numbers the tested code of the
-- reports whose code is known.
WITH passes AS (
  SELECT key, max(started) AS last_pass FROM steps WHERE sign = '+' GROUP BY key),
marked AS (
  SELECT steps.*,
    sign = '-' AND (last_pass IS NULL OR started > last_pass) AS is_open_failure,
    if(sign <> sign_before AND code.code = code_before.code, '=', '') || sign AS mark
  FROM steps
  LEFT JOIN passes USING (key)
  LEFT JOIN codes AS code USING (report)
  LEFT JOIN codes AS code_before ON code_before.report = report_before)
SELECT key,
  arg_max(report, started) FILTER (differs AND outcome IS NOT NULL) AS since,
  arg_min(report, started) AS first_seen,
  arg_max(report, started) FILTER (outcome IS NOT NULL) AS last_seen,
  arg_max(report, started) FILTER (sign = '+') AS last_good,
  arg_min(report, started) FILTER (is_open_failure) AS first_bad,
  arg_max(outcome, started) FILTER (is_open_failure) AS failure,
  if(arg_max(outcome IS NULL, started), arg_max(report, started), NULL) AS gone,
  coalesce(array_to_string(
    (list(mark ORDER BY started) FILTER (mark IS NOT NULL))[-$most_recent:], ''), '') AS recent
FROM marked
GROUP BY key
ORDER BY key
