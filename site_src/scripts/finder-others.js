// Finds what is no compute platform: backends without a public package, and runtimes for hardware without a PyTorch device.

import { joined } from "./finder-names.js";

/** Searches the entries of other-backends.json; `language` splits texts into tokens. */
export class OtherWays {
  constructor({ observed, runtimes }, language) {
    this.language = language;
    const entryOf = (entry, page) => ({ ...entry, page: `${page}#${entry.id}`, names: [entry.name, ...(entry.search_names ?? [])].map((text) => language.tokens(text)) });
    this.entries = [...observed.map((entry) => entryOf(entry, "compute-platforms/")), ...runtimes.map((entry) => entryOf(entry, "other-ways/"))];
  }

  /** Returns the entries that a query names, in the order of the file. */
  find(query) {
    const tokens = this.language.tokens(query);
    return this.entries.filter(({ names }) => names.some((name) => contains(tokens, name)));
  }
}

/** Returns whether tokens contain those of a name, side by side, from the beginning of a word; "iPhone15" contains "iPhone". */
function contains(tokens, name) {
  if (/[^\P{Letter}\p{Script=Latin}]/u.test(joined(name))) return joined(tokens).includes(joined(name)); // Chinese has no spaces between words
  const isAt = (start) => name.every(({ text }, n) => tokens[start + n]?.text === text);
  return tokens.some(({ start }, position) => start && isAt(position));
}
