// How well a name fits what a reader typed. Names are compared by runs of letters and of digits, so that "RTX4090" and
// "RTX 4090" are the same, but a match never begins or ends inside a word: "i7" is no part of "300I 7".

// Words that boxes and tools print around a name and that tell nothing.
const FILLERS = new Set(["r", "tm", "c", "gpu", "gpus", "card", "cards", "graphics", "accelerator", "corporation", "corp", "inc", "cpu", "processor", "laptop", "notebook", "mobile"]);

// Slots, memory and revisions that tools print behind a name.
const FORM = /^(?:sxm\d?|pcie\d?|oam|nvl|hbm\w*|l?p?g?ddr\w*|rev\w*|\d+gi?b)$/;

// Tiers of a match, the less the better.
const STRONG = 0; // the whole name is in the query, or the whole query is in the name
export const PARTIAL = 1; // the beginning of a name, or a family to which the query adds a number
export const BEGUN = 2; // the reader is still typing: "rtx 40" may become RTX 4090
export const NOTHING = 9;

export const WHOLE_QUERY = 2; // ranks up to this: the whole query stands in a name
const NONE = { tier: NOTHING, rank: NOTHING, covered: 0 };

/** Runs of letters and of digits; `start` and `end` say where a word begins and ends. */
export function tokens(text) {
  const plain = text.normalize("NFKD").toLowerCase().replace(/[\u0300-\u036f]/g, "");
  const found = [];
  for (const word of plain.matchAll(/[a-z0-9]+|[^\P{Letter}a-z]+/gu)) {
    const runs = word[0].match(/[a-z]+|[0-9]+|[^\P{Letter}a-z]+/gu);
    runs.forEach((run, n) => found.push({ text: run, start: n === 0, end: n === runs.length - 1, mixed: runs.length > 1 }));
  }
  return found;
}

/** The tokens that tell something; all of them where none would be left. */
export function tellingOf(all, vendor) {
  const some = all.filter(({ text, mixed }) => mixed || !(FILLERS.has(text) || vendor.has(text)));
  return some.length > 0 ? some : all;
}

/** Whether tokens hold what tells one card from another: a long number, or letters with digits, "T4". */
export function distinctive(some) {
  return some.some(({ text, mixed }) => mixed || /^\d{3,}$/.test(text));
}

/** The names of machine types as patterns over whole words; the part before a `*` fits by itself. */
export function instancePatterns(models) {
  return models.flatMap((model) =>
    (model.instances ?? []).flatMap(({ types }) =>
      types.map((type) => {
        const [escaped, begun] = [type.toLowerCase(), type.toLowerCase().replace(/[.-]\*$/, "")].map((text) => text.replaceAll(".", "\\.").replaceAll("*", "[a-z0-9-]*"));
        return { model, pattern: new RegExp(`^(?:ml\\.)?(?:${escaped}|${begun}|${escaped.replace(/^standard_/, "")})$`) };
      }),
    ),
  );
}

/** Whether hardware with these words is what the query means, not its neighbor: it has all the query's numbers. */
export function explained(asked, words) {
  const strange = wordsOf(withoutSizes(asked)).filter((word) => !words.has(word) && !FILLERS.has(word) && !FORM.test(word));
  return strange.every((word) => !/\d/.test(word)) && (strange.length === 0 || distinctive(asked));
}

/** How many letters must change to make one text of another. */
export function distance(one, other) {
  let row = [...other, ""].map((_, n) => n);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let n = 0; n < other.length; n += 1) next.push(Math.min(row[n] + (letter === other[n] ? 0 : 1), row[n + 1] + 1, next[n] + 1));
    row = next;
  }
  return row.at(-1);
}

/** The tokens without sizes of memory, "16 GB". */
export function withoutSizes(asked) {
  const isUnit = (token) => /^gi?b?$/.test(token?.text ?? "");
  const some = asked.filter((token, n) => !(/^\d+$/.test(token.text) && isUnit(asked[n + 1])) && !(isUnit(token) && /^\d+$/.test(asked[n - 1]?.text ?? "")));
  return some.length > 0 ? some : asked;
}

export function bestMatch(names, asked, context) {
  return names.map((name) => match(name, asked, context)).reduce(better, NONE);
}

export function better(a, b) {
  return b.rank < a.rank || (b.rank === a.rank && b.covered > a.covered) ? b : a;
}

function match(name, asked, context) {
  const { around, truncated } = context;
  const count = (some) => some.filter(({ text }) => !context.makers.has(text)).length;
  const isNumber = name.every(({ text }) => /^[0-9]/.test(text));
  if (same(name, asked)) return { tier: STRONG, rank: 0, covered: count(asked) };
  if (isNumber) return NONE; // "8.0" is a chip only by itself
  const telling = distinctive(asked) || asked.every(({ text }) => /^[a-z]/.test(text));
  const inside = telling ? place(asked, name) : -1;
  if (inside >= 0) return { tier: STRONG, rank: inside + asked.length === name.length ? 1 : 2, covered: count(asked) };
  const at = place(name, asked);
  const isInside = at >= 0 && stands(name, asked, at, context);
  if (isInside && (distinctive(name) || !distinctive(asked))) return { tier: STRONG, rank: 3, covered: count(name) };
  if (distinctive(asked) && scattered(name, asked, around)) return { tier: STRONG, rank: 4, covered: count(asked) };
  if (isInside) return { tier: STRONG, rank: 4, covered: count(name) };
  const shared = common(name, asked);
  const isBegun = place(asked, name, true) >= 0;
  if (isBegun && truncated && distinctive(asked)) return { tier: STRONG, rank: 3, covered: count(asked) };
  if (shared > 0 && distinctive(name.slice(0, shared))) return { tier: PARTIAL, rank: 5, covered: shared };
  if (at >= 0 && weak(name) && distinctive(name)) return { tier: PARTIAL, rank: 6, covered: count(name) };
  return isBegun && !(asked.length === 1 && /^\d{1,2}$/.test(asked[0].text)) ? { tier: BEGUN, rank: 7, covered: count(asked) } : NONE;
}

/** A name inside a longer query: not where the next number makes it another model, nor where it is too short to tell. */
function stands(name, asked, at, { named, foreign }) {
  const text = name.map((token) => token.text).join("");
  if (/^v\d[a-z]?$/.test(text)) return named; // "v4" is a TPU only beside that word
  if (!name.some(({ text: run }) => /\d/.test(run))) return text.length >= 4 || (named && !foreign);
  const next = asked[at + name.length];
  if (!next || !/^\d/.test(next.text) || !next.start) return true;
  const unit = asked[at + name.length + 1];
  return /^(gi?b?|mi?b|w)$/.test(unit?.text ?? "") || !weak(name);
}

/** Names of families, such as "Core i7", to which a number is added. */
function weak(name) {
  return !name.some(({ text }) => /^\d{2,}$/.test(text));
}

function same(name, asked) {
  return name.length === asked.length && name.every(({ text }, n) => text === asked[n].text);
}

/** Where `part` stands in `whole` in one piece and between words, or -1; `begun`: its last token may be a beginning. */
function place(part, whole, begun = false) {
  for (let at = 0; at + part.length <= whole.length; at += 1) if (fits(part, whole, at, begun)) return at;
  return -1;
}

function fits(part, whole, at, begun) {
  const last = part.length - 1;
  if (!whole[at].start) return false;
  if (!begun && !whole[at + last].end) return false;
  const begins = ({ text, start }, other) => other.text.startsWith(text) && (start === other.start || /^\d/.test(text));
  return part.every((token, n) => whole[at + n].text === token.text || (begun && n === last && begins(token, whole[at + n])));
}

/** Whether every word of the query is known of this hardware, and what tells it from others is of this name, in its order. */
function scattered(name, asked, around) {
  const [own, all] = [wordsOf(name), wordsOf(asked)];
  if (!all.every((word) => own.includes(word) || (around.has(word) && !/\d/.test(word)))) return false;
  const places = all.filter((word) => own.includes(word) && /\d/.test(word)).map((word) => own.indexOf(word));
  return places.some((at) => /[a-z]\d|\d[a-z]|\d{3}/.test(own[at])) && places.every((at, n) => n === 0 || places[n - 1] < at);
}

const WORDS = new WeakMap();

/** The whole words that runs stand for. */
export function wordsOf(runs) {
  if (!WORDS.has(runs)) {
    const words = [];
    for (const { text, start } of runs) {
      if (start) words.push(text);
      else words[Math.max(words.length - 1, 0)] = (words.at(-1) ?? "") + text;
    }
    WORDS.set(runs, words);
  }
  return WORDS.get(runs);
}

/** How many tokens from its beginning a name shares with a place of the query, up to the end of a word of both. */
function common(name, asked) {
  let most = 0;
  for (let at = 0; at < asked.length; at += 1) {
    if (!asked[at].start) continue;
    let length = 0;
    while (length < name.length && asked[at + length]?.text === name[length].text) length += 1;
    while (length > 0 && !(asked[at + length - 1].end && name[length - 1].end)) length -= 1;
    if (length > most && !/^\d/.test(asked[at + length]?.text ?? "")) most = length;
  }
  return most;
}
