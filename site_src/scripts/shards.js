// Reads data that is split into files: an index, and files that have a range of the records each.
// Files are read as a whole when they are needed; they are small, and any static web server can serve them.

import { readJson } from "./json-files.js";

/** The files of a folder. Each is read once; if that fails, the next request tries again. */
export class Shards {
  constructor(folder) {
    this.folder = folder;
    this.filePromises = new Map();
  }

  index() {
    return this.file("index.json");
  }

  file(name) {
    if (!this.filePromises.has(name)) {
      const reading = readJson(this.folder + name);
      reading.catch(() => this.filePromises.delete(name));
      this.filePromises.set(name, reading);
    }
    return this.filePromises.get(name);
  }

  /** The file whose range includes the key; null if the key is before all ranges. */
  async holding(key) {
    const { files } = await this.index();
    const position = placeOf(files, key);
    return position < 0 ? null : this.file(files[position][1]);
  }
}

/** The index of the file whose range includes the key; -1 if all ranges begin later. `files` are [first key, name], sorted. */
export function placeOf(files, key) {
  let [low, high] = [0, files.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (files[middle][0] <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
