// Fetches the selector's data: first what is true of all platforms, then the rows of those that are looked at.

import { Model } from "./selector-model.js";

const MOST_AHEAD = 24; // files of platforms that are fetched while the browser has nothing else to do

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

  /** Fetch the rows of the `first` platforms together, then of the others one by one in idle time; what fails is fetched when it is needed. */
  async loadAhead(first, others) {
    if (navigator.connection?.saveData) return;
    const tried = (platform) => this.load(platform).catch(() => {});
    await Promise.all(first.map(tried));
    for (const platform of others.slice(0, MOST_AHEAD)) {
      if (this.has(platform)) continue;
      await idle();
      await tried(platform);
    }
  }
}

function idle() {
  return new Promise((done) => (globalThis.requestIdleCallback ? requestIdleCallback(done, { timeout: 300 }) : setTimeout(done, 50)));
}

async function read(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.json();
}
