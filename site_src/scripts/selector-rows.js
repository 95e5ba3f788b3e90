// Fetches the selector's data: first the part for all platforms, then the rows of each platform when they are needed.

import { readJson } from "./json-files.js";
import { Model } from "./selector-model.js";

const MAX_FILES_AHEAD = 24; // at most so many platforms at once

/** The `Rows` of a page's selector, whose model has only the data for all platforms at first. */
export async function readSelector(address) {
  const data = await readTranslated(address);
  return new Rows(new Model(data), (platform) => new URL(data.parts.replace("{platform}", platform), new URL(address, document.baseURI)));
}

/** The data of a file. Files in other languages have only the texts that differ from the English file. */
async function readTranslated(address) {
  const { translates, texts, ...data } = await readJson(address);
  if (!translates) return data;
  const translated = (value) => {
    if (typeof value === "string") return Object.hasOwn(texts, value) ? texts[value] : value;
    if (Array.isArray(value)) return value.map(translated);
    return value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, translated(one)])) : value;
  };
  return translated(await readJson(new URL(translates, new URL(address, document.baseURI))));
}

class Rows {
  #loading = new Map();

  constructor(model, addressOf) {
    this.model = model;
    this.addressOf = addressOf;
  }

  /** Whether the rows of a platform are loaded. On a platform's own page they are from the start. */
  has(platform) {
    return this.model.hasRows(platform);
  }

  /** Fetch the rows of a platform, only once unless that fails. */
  load(platform) {
    if (this.has(platform)) return Promise.resolve();
    if (!this.#loading.has(platform)) {
      const rows = readTranslated(this.addressOf(platform)).then((data) => this.model.add(platform, data));
      this.#loading.set(platform, rows);
      rows.catch(() => this.#loading.delete(platform));
    }
    return this.#loading.get(platform);
  }

  /** Fetch missing rows of several platforms; failures are ignored. Returns whether any were missing. */
  async loadAhead(platforms) {
    const missing = navigator.connection?.saveData ? [] : platforms.filter((platform) => !this.has(platform)).slice(0, MAX_FILES_AHEAD);
    await Promise.all(missing.map((platform) => this.load(platform).catch(() => {})));
    return missing.length > 0;
  }
}
