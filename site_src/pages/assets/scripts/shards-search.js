// A search through the files of an index, a few at a time, from where the words would begin a name.

import { placeOf } from "./shards.js";
import { number } from "./matrix-model.js";

const AT_ONCE = 4; // files that are read side by side

/**
 * Reads files until `most` records are found: `recordsOf` gives those of a file that fit. `told` gets what was found
 * and a sentence on how far the search is; it ends where `wanted` says that nobody waits any more.
 */
export async function search(shards, begin, recordsOf, { most, wanted, told }) {
  const { files } = await shards.index();
  const start = Math.max(0, placeOf(files, begin));
  const order = [...files.slice(start), ...files.slice(0, start)];
  const found = [];
  for (let read = 0; read < order.length && found.length <= most; read += AT_ONCE) {
    const some = await Promise.all(order.slice(read, read + AT_ONCE).map(([, name]) => shards.file(name)));
    if (!wanted()) return;
    found.push(...some.flatMap(recordsOf));
    told(found.slice(0, most), `Searched ${number(Math.min(read + AT_ONCE, order.length))} of ${number(order.length)} files…`);
  }
  if (wanted()) told(found.slice(0, most), conclusion(found.length, most));
}

function conclusion(count, most) {
  if (count > most) return `The first ${most} tests found. Type more of the name to see others.`;
  if (count === 0) return "No test name has these words.";
  return `${count} ${count === 1 ? "test" : "tests"} found.`;
}
