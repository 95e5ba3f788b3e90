// Data that is read when somebody asks for it: an index, and files with a range of its records each.
// Any static web server will do: whole files are asked for, none of them large.

/** A file of the data that is missing, cut off, or no JSON; `address` is where it should be. */
export class UnreadableFile extends Error {
  constructor(address, why) {
    super(`${why}: ${address}`);
    this.address = address;
    this.why = why;
  }
}

/** What has been read is kept; what failed is asked for again the next time. */
export class Shards {
  constructor(folder) {
    this.folder = folder;
    this.kept = new Map();
  }

  index() {
    return this.file("index.json");
  }

  file(name) {
    if (!this.kept.has(name)) {
      const reading = readJson(this.folder + name);
      reading.catch(() => this.kept.delete(name));
      this.kept.set(name, reading);
    }
    return this.kept.get(name);
  }

  /** The file whose range has the key. */
  async holding(key) {
    const { files } = await this.index();
    const place = placeOf(files, key);
    return place < 0 ? null : this.file(files[place][1]);
  }
}

/** The last of the files that begins with the key or before it; -1 where the first begins later. */
export function placeOf(files, key) {
  let [low, high] = [0, files.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (files[middle][0] <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

async function readJson(address) {
  let answer;
  try {
    answer = await fetch(address);
  } catch {
    throw new UnreadableFile(address, "The file could not be reached");
  }
  if (!answer.ok) throw new UnreadableFile(address, answer.status === 404 ? "The file is missing" : `The server answered ${answer.status}`);
  try {
    return await answer.json();
  } catch {
    throw new UnreadableFile(address, "The file is cut off or not JSON");
  }
}
