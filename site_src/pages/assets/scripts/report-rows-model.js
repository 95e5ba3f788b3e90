// Which rows of a report a reader asks for, and in which files they are. Rows are numbered from 0, in the order of the
// files; an interval is [first, after the last]. Nothing here knows the page.

/** The intervals of rows with an outcome and of a suite; an empty choice is any. */
export function intervalsOf(ranges, { outcome, suite }) {
  const found = [];
  let first = 0;
  for (const [own, of, count] of ranges) {
    if ((!outcome || own === outcome) && (!suite || of === suite)) found.push([first, first + count]);
    first += count;
  }
  return found;
}

export const countOf = (intervals) => intervals.reduce((sum, [first, end]) => sum + end - first, 0);

/** So many rows of intervals, after those that are left out. */
export function sliceOf(intervals, skipped, most) {
  const found = [];
  let [left, room] = [skipped, most];
  for (const [first, end] of intervals) {
    const begin = first + Math.min(left, end - first);
    left -= begin - first;
    const last = Math.min(end, begin + room);
    if (last > begin) found.push([begin, last]);
    room -= last - begin;
  }
  return found;
}

/** The parts of files that have the rows of intervals: {name, first, end}, numbered within the file. */
export function partsOf(files, intervals) {
  const found = [];
  let start = 0;
  for (const [name, count] of files) {
    for (const [first, end] of intervals) {
      const [begin, last] = [Math.max(first, start), Math.min(end, start + count)];
      if (last > begin) found.push({ name, first: begin - start, end: last - start });
    }
    start += count;
  }
  return found;
}
