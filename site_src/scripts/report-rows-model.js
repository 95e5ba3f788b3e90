// Finds the rows of a report that match the filters, and the files that have them. Nothing here uses the document.
// Rows are numbered from 0 in the order of the files. An interval is [first row, row after the last].

/** The intervals of rows with an outcome and a suite; "" means any. `ranges` are [outcome, suite, count]. */
export function intervalsOf(ranges, { outcome, suite }) {
  const intervals = [];
  let first = 0;
  for (const [rangeOutcome, rangeSuite, count] of ranges) {
    if ((!outcome || rangeOutcome === outcome) && (!suite || rangeSuite === suite))
      intervals.push([first, first + count]);
    first += count;
  }
  return intervals;
}

/** The number of rows in the intervals. */
export const countOf = (intervals) => intervals.reduce((sum, [first, end]) => sum + end - first, 0);

/** The intervals of at most `maxRows` rows, after the first `skippedRows` ones. */
export function sliceOf(intervals, skippedRows, maxRows) {
  const slice = [];
  let [toSkip, toTake] = [skippedRows, maxRows];
  for (const [first, end] of intervals) {
    const begin = first + Math.min(toSkip, end - first);
    toSkip -= begin - first;
    const last = Math.min(end, begin + toTake);
    if (last > begin) slice.push([begin, last]);
    toTake -= last - begin;
  }
  return slice;
}

/** The parts of files with the rows of intervals: {name, first, end}, numbered per file. `files` are [name, count]. */
export function partsOf(files, intervals) {
  const parts = [];
  let fileStart = 0;
  for (const [name, count] of files) {
    for (const [first, end] of intervals) {
      const [begin, last] = [Math.max(first, fileStart), Math.min(end, fileStart + count)];
      if (last > begin) parts.push({ name, first: begin - fileStart, end: last - fileStart });
    }
    fileStart += count;
  }
  return parts;
}
