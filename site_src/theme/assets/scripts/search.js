// The site's search: a worker that Material's form asks, with the index that Pagefind wrote. The form sends 0 with its own
// index, which is empty, and 2 with a query; it takes 1 (ready) and 3 with results. The language is in the worker's address.

const READY = 1;
const QUERY = 2;
const RESULT = 3;

const MOST_WORDS = 10; // of a query
const TYPING = 120; // milliseconds without another key, before a query is asked
const FIRST_PAGES = 8; // shown at once; the others follow
const MOST_PAGES = 15;

// A tag decides, a title counts more than text, and neither counts twice: a page with one tag is not better than one with ten.
const metaWeights = { tags: 1000, title: 50, address: 0, boost: 0 };
const LARGEST = 1000; // of one word
const MISSING = 1 / 4; // a page without one of the words
const SAME_TITLE = 20;

const MOST_KEYWORDS = 3; // a longer query is a message or a question, which a heading may repeat
const IN_HEADING = 1000; // a section with a word in its heading stands before those that have it in their text

// A word without its last letters is the same word, misspelled or with another ending.
const MOST_OF_A_WORD = 0.6;
const SHORT = 3; // letters that are never cut off
const start = (word) => word.slice(0, Math.max(SHORT, Math.ceil(word.length * MOST_OF_A_WORD)));

const folder = new URL(`../../pagefind/${location.hash.slice(1)}/`, location.href);

let loading;
function load() {
  loading ??= (async () => {
    const pagefind = await import(new URL("pagefind.js", folder));
    await pagefind.options({ ranking: { metaWeights, pageLength: 0, termSimilarity: 3 } });
    await pagefind.init();
    return pagefind;
  })();
  loading.catch(() => (loading = undefined)); // the next query tries again
  return loading;
}

const QUESTION = /^(?:如何|怎么样?|怎样|哪些|哪个|为什么|什么)/u;

/** The words of a query. Chinese is written without spaces: a text may be one word, such as a vendor's name, or several. */
function words(query) {
  const chinese = new Intl.Segmenter("zh", { granularity: "word" });
  const separate = query.replace(/\p{sc=Han}+/gu, (text) =>
    [text.replace(QUESTION, ""), ...[...chinese.segment(text)].map(({ segment }) => segment).filter(({ length }) => length > 1)].join(" "),
  );
  return [...new Set(separate.toLowerCase().split(/[\s,;!?()[\]{}"'`/]+/u).filter(Boolean))].slice(0, MOST_WORDS);
}

/** The pages that have words of a query, best first. A word that no page has is left out. */
async function ranked(pagefind, asked) {
  const results = async (words) => (await pagefind.search(words)).results;
  const lists = await Promise.all(asked.map(async (word) => ({ word, found: await results(word) })));
  const known = lists.filter(({ found }) => found.length > 0).sort((one, other) => one.found.length - other.found.length);
  // A result shows where its words are: those of the whole query, or else the rarest word.
  const whole = new Map((await results(known.map(({ word }) => word).join(" "))).map((result) => [result.id, result]));
  const pages = new Map();
  for (const { found } of known) {
    for (const result of found) {
      const page = pages.get(result.id) ?? { ...result, ...whole.get(result.id), score: 0, count: 0 };
      page.score += Math.min(result.score, LARGEST) / Math.log(2 + found.length); // a rare word says more
      page.count += 1;
      pages.set(result.id, page);
    }
  }
  for (const page of pages.values()) page.score *= MISSING ** (known.length - page.count);
  return [...pages.values()].sort((one, other) => other.score - one.score);
}

const MARKUP = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text) => text.replace(/[&<>"]/g, (character) => MARKUP[character]);

const withoutSpaces = (text) => text.replace(/(?<=\p{sc=Han}) | (?=\p{sc=Han})/gu, "");

/** Does a text have most of a word? Pagefind shortens a word that no page has, down to its first letter. */
const has = (text, word) => text.includes(start(word));

const ownWords = (heading) => heading.toLowerCase().split(/[^\p{L}\p{N}_.+]+/u);

/** The share of the words that a heading has, whole or with another ending. */
function inHeading(heading, asked) {
  const own = ownWords(heading);
  return asked.filter((word) => own.some((one) => one.startsWith(start(word)))).length / asked.length;
}

/** A page as Material shows it: the page itself, then its sections. Nothing, if it has none of the words. */
async function shown({ data, score }, asked, query) {
  const { content, excerpt, meta, sub_results: sections } = await data();
  const text = `${meta.title} ${meta.tags} ${content}`.toLowerCase();
  if (!asked.some((word) => has(text, word))) return [];
  const same = withoutSpaces(meta.title).toLowerCase() === query;
  const isMessage = asked.length > MOST_KEYWORDS;
  const whole = asked.filter((word) => ownWords(meta.title).includes(word)).length / asked.length;
  const heading = Math.max(whole, ...(isMessage ? sections : []).map(({ title }) => inHeading(title, asked)));
  const page = {
    location: meta.address ?? "", // the home page has none
    title: withoutSpaces(escaped(meta.title)), // Material takes it for HTML, as the excerpts are
    text: withoutSpaces(excerpt),
    score: score * Number(meta.boost) ** 0.2 * (1 + heading) ** 2 * (same ? SAME_TITLE : 1),
    terms: {},
  };
  const weight = ({ title, weighted_locations: found }) =>
    inHeading(title, asked) * IN_HEADING + found.reduce((sum, { weight: one }) => sum + one, 0);
  const parts = sections.filter(({ anchor }) => anchor).sort((one, other) => weight(other) - weight(one));
  return [
    page,
    ...parts.map((part, place) => ({
      location: `${meta.address}#${part.anchor.id}`,
      title: withoutSpaces(escaped(part.title)),
      text: withoutSpaces(part.excerpt),
      score: page.score / (1 + Math.sign(place)), // the best one stands open below its page
      terms: {},
    })),
  ];
}

/** Some of the pages, best first. */
async function sorted(pages, asked, query) {
  const items = await Promise.all(pages.map((page) => shown(page, asked, query)));
  return items.filter(({ length }) => length > 0).sort(([one], [other]) => other.score - one.score);
}

let newest = 0;
async function answer(query) {
  const number = ++newest;
  // A slow answer does not replace that to a later query.
  const post = (items) => number === newest && postMessage({ type: RESULT, data: { items, query } });
  const asked = words(query);
  if (asked.length === 0) return post([]);
  await new Promise((resolve) => setTimeout(resolve, TYPING));
  const pagefind = await load();
  if (number !== newest) return;
  const best = await ranked(pagefind, asked);
  const title = query.trim().toLowerCase();
  const first = await sorted(best.slice(0, FIRST_PAGES), asked, title);
  post(first);
  if (best.length <= FIRST_PAGES || number !== newest) return;
  post([...first, ...(await sorted(best.slice(FIRST_PAGES, MOST_PAGES), asked, title))]);
}

addEventListener("message", ({ data: { type, data } }) => (type === QUERY ? answer(data) : postMessage({ type: READY })));
new BroadcastChannel(location.pathname).addEventListener("message", load); // a reader opened the search
