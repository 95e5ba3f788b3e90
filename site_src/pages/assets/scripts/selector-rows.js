// Fetches the selector's data: first what is true of all platforms, then the rows of those that are looked at.

import { Model } from "./selector-model.js";

const MOST_AHEAD = 24; // files of platforms that are fetched together

/** The model of a page's selector, and the rows that it still needs. */
export async function readSelector(address) {
  const data = await read(address);
  return new Rows(new Model(data), (platform) => new URL(data.parts.replace("{platform}", platform), new URL(address, document.baseURI)));
}

class Rows {
  #asked = new Map();

  constructor(model, addressOf) {
    this.model = model;
    this.addressOf = addressOf;
  }

  /** Whether the rows of a platform are there; a page of one platform has them from the beginning. */
  has(platform) {
    return this.model.hasRows(platform);
  }

  /** Fetch the rows of a platform, once; a failure can be tried again. */
  load(platform) {
    if (this.has(platform)) return Promise.resolve();
    if (!this.#asked.has(platform)) {
      const answer = read(this.addressOf(platform)).then((data) => this.model.add(platform, data));
      this.#asked.set(platform, answer);
      answer.catch(() => this.#asked.delete(platform));
    }
    return this.#asked.get(platform);
  }

  /** Fetch the rows of platforms together, and tell whether there were any; what fails is fetched when it is needed. */
  async loadAhead(platforms) {
    const missing = navigator.connection?.saveData ? [] : platforms.filter((platform) => !this.has(platform)).slice(0, MOST_AHEAD);
    await Promise.all(missing.map((platform) => this.load(platform).catch(() => {})));
    return missing.length > 0;
  }
}

async function read(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.json();
}
