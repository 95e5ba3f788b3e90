// Searches the files of an index, a few at a time, starting with the file whose names begin like the searched words.

import { placeOf } from "./shards.js";
import { number } from "./matrix-model.js";

const FILES_AT_ONCE = 4; // files that are read in parallel

/**
 * Read files until more than `most` records are found. `recordsOf` returns the matching records of a file. `told` is called
 * with the records so far and a sentence about the progress. The search stops when `wanted` returns false.
 */
export async function search(shards, prefix, recordsOf, { most: maxRecords, wanted: isCurrent, told: showProgress }) {
  const { files } = await shards.index();
  const start = Math.max(0, placeOf(files, prefix));
  const orderedFiles = [...files.slice(start), ...files.slice(0, start)];
  const records = [];
  for (let filesRead = 0; filesRead < orderedFiles.length && records.length <= maxRecords; filesRead += FILES_AT_ONCE) {
    const loadedFiles = await Promise.all(
      orderedFiles.slice(filesRead, filesRead + FILES_AT_ONCE).map(([, name]) => shards.file(name)),
    );
    if (!isCurrent()) return;
    records.push(...loadedFiles.flatMap(recordsOf));
    showProgress(
      records.slice(0, maxRecords),
      `Searched ${number(Math.min(filesRead + FILES_AT_ONCE, orderedFiles.length))} of ${number(orderedFiles.length)} files…`,
    );
  }
  if (isCurrent()) showProgress(records.slice(0, maxRecords), conclusion(records.length, maxRecords));
}

function conclusion(count, maxRecords) {
  if (count > maxRecords) return `The first ${maxRecords} tests found. Type more of the name to see others.`;
  if (count === 0) return "No test name has these words.";
  return `${count} ${count === 1 ? "test" : "tests"} found.`;
}
