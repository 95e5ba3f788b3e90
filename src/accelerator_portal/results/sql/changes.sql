-- Each change of a test: it is new, gone or back, or its outcome or stage differs from the last one.
SELECT *,
  CASE WHEN is_new THEN 'new'
       WHEN outcome IS NULL THEN 'gone'
       WHEN is_opposite AND kind <> 'baseline' THEN if(sign = '+', 'fixed', 'regressed')
       WHEN was_gone AND is_opposite IS NOT TRUE THEN 'returned'
       WHEN kind = 'baseline' THEN 'expectation changed'
       ELSE 'changed' END AS change
FROM steps
WHERE differs
