// Searches files, a few at a time, until enough records are found.

import { counted, number } from "./numbers.js";
import { placeOf } from "./shards.js";

const FILES_AT_ONCE = 4; // files that are read in parallel

/**
 * Searches the files of an index, starting with the file whose names begin like the searched words. `recordsOf` returns the
 * matching records of a file. See `searchFiles` for the options.
 */
export async function searchShards(shards, prefix, recordsOf, options) {
  const { files } = await shards.index();
  const start = Math.max(0, placeOf(files, prefix));
  const names = [...files.slice(start), ...files.slice(0, start)].map(([, name]) => name);
  const read = async (someNames) => (await Promise.all(someNames.map((name) => shards.file(name)))).flatMap(recordsOf);
  const conclusion = (count) => (count === 0 ? "No test name has these words." : `${counted(count, "test")} found.`);
  await searchFiles(names, read, { conclusion, ...options });
}

/**
 * Reads files until more than `maxRecords` records are found. `read` returns a promise of the matching records of some files.
 * `show` is called with the records so far and a sentence about the progress, at the end with the sentence that `conclusion`
 * returns for their number, unless there are too many. The search stops when `isCurrent` returns false.
 */
export async function searchFiles(files, read, { maxRecords, isCurrent, show, conclusion }) {
  const records = [];
  for (let filesRead = 0; filesRead < files.length && records.length <= maxRecords; filesRead += FILES_AT_ONCE) {
    const found = await read(files.slice(filesRead, filesRead + FILES_AT_ONCE));
    if (!isCurrent()) return;
    records.push(...found);
    show(records.slice(0, maxRecords), `Searched ${number(Math.min(filesRead + FILES_AT_ONCE, files.length))} of ${number(files.length)} files…`);
  }
  if (!isCurrent()) return;
  const hasMore = records.length > maxRecords;
  show(records.slice(0, maxRecords), hasMore ? `The first ${maxRecords} tests found. Type more of the name to see others.` : conclusion(records.length));
}
