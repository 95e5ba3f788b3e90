-- Each row of `rows` with what came before it. `rows` has the results of tests in reports, and a row
-- without an outcome where a complete report no longer has a test. The variables `good` and `bad`
-- list the outcomes of a test that passed or failed.
SELECT *,
  lag(report) OVER test IS NULL AS is_new,
  NOT is_new AND lag(outcome) OVER test IS NULL AS was_gone,
  if(was_gone, lag(report, 2) OVER test, lag(report) OVER test) AS report_before,
  if(was_gone, lag(outcome, 2) OVER test, lag(outcome) OVER test) AS outcome_before,
  if(was_gone, lag(stage, 2) OVER test, lag(stage) OVER test) AS stage_before,
  if(was_gone, lag(sign, 2) OVER test, lag(sign) OVER test) AS sign_before,
  sign <> lag(sign IGNORE NULLS) OVER test AS is_opposite,
  is_new OR was_gone OR outcome IS DISTINCT FROM outcome_before
    OR stage IS DISTINCT FROM stage_before AS differs
FROM (
  SELECT *, CASE WHEN list_contains(getvariable('good'), outcome) THEN '+'
    WHEN list_contains(getvariable('bad'), outcome) THEN '-' END AS sign
  FROM rows)
WINDOW test AS (PARTITION BY accelerator, key ORDER BY started, report)
