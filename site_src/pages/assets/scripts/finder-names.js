// Words of a text, and how a name of hardware stands in it. Digits and endings count: an RX 550 is no RX 5500.

/** Splits texts into runs of letters and of digits, so that "RTX4090" and "RTX 4090" are the same. */
export class Language {
  /** `words` is the table of data/finder.yaml, `names` are names in other scripts, which stand in texts without spaces. */
  constructor({ phrases, ignored, forms, units, computers, foreign }, names) {
    const unit = longestFirst(units).join("|");
    this.ignored = new Set(ignored);
    this.foreign = new Set(foreign);
    this.size = new RegExp(`^\\d+(?:\\.\\d+)?(?:${unit})$`);
    this.form = new RegExp(`^(?:${forms.join("|")})\\d*[a-z]?$|^(?:x\\d{1,2}|\\d{1,2}x|\\d{2,4}w|20[12]\\d)$`);
    this.runs = new RegExp(`^x\\d{1,2}$|\\d+(?:\\.\\d+)?(?:${unit})(?![a-z\\d])|\\d+(?:\\.\\d+)+|\\d+|[a-z]+|#|[^\\P{Letter}a-z]+`, "gu");
    this.gaps = new RegExp(`(\\d)[ -](${unit})(?![a-z\\d])`, "g");
    this.phrases = phrases.map((phrase) => [new RegExp(`\\b${phrase.replaceAll(" ", "[\\s_.'-]?")}`, "g"), ` ${phrase.replaceAll(" ", "")} `]);
    this.phrases.push([new RegExp(`\\b(?:${longestFirst(computers).join("|").replaceAll("#", "\\d")})\\b(?:[\\s-]+(?:[a-z]?\\d{1,2}[a-z]?|pro|slim|plus|studio|ultra|gen\\d+)(?![a-z\\d]|-\\d)){0,3}`, "g"), " "]);
    this.scripts = new RegExp(longestFirst(names).map(escaped).join("|") || "$^", "gu");
  }

  /** Tokens of a text; `start` and `end` say where a word begins and ends, `word` is the whole word. */
  tokens(text) {
    let plain = text.normalize("NFKD").replace(/(?<=[a-z]{3})(?=[A-Z]{1,4}\d)|(?<=(?:^|\s)\d{1,2}[x×])(?=[A-Z])/g, " ").toLowerCase().replace(/[\u0300-\u036f]/g, "").replace(/[™®]|\((?:r|tm|c|\d+)\)|\brev(?:ision)?[ .:]*[\da-f.]+\b/g, " ").replace(/\bgen (\d)/g, "gen$1").replace(/\btpu(?=v\d)/g, "tpu ");
    plain = plain.normalize("NFC").replace(this.scripts, " $& ").replace(/[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[$€£¥元](?!\s?\d)|(?:usd|eur|gbp|rmb|euros?|dollars?|bucks|pounds?)\b)/g, " ");
    plain = plain.replace(/(?<![\w.-])(\d{1,2})(?: ?[x×](?=\s|$)| ?[x×] ?(?=[a-z]{0,6}\d{3}|[a-z]{1,6}\d))/g, "x$1 ").replace(/(?:(?<=[\d\s(]|^)x|[×*]) ?(\d{1,2})(?![\d.a-z])/g, " x$1 ").replace(this.gaps, "$1$2").replace(/(?<![a-z\d#])(\d{1,3})(?:gi?b?| ?(?:go|гб))(?![a-z\d])/g, "$1gb");
    for (const [pattern, whole] of this.phrases) plain = plain.replace(pattern, whole);
    return [...plain.matchAll(/(?:[a-z0-9#]|(?<=\d)\.(?=\d))+|[^\P{Letter}a-z]+/gu)].flatMap(([word]) => {
      const runs = word.match(this.runs) ?? [];
      return runs.map((run, n) => ({ text: run, word, start: n === 0, end: n === runs.length - 1, digit: /\d/.test(word) }));
    });
  }

  /** Whether a word tells nothing about which product is meant, unless a name has it. */
  isNoise({ text, word, digit }) {
    return this.ignored.has(digit ? word : text) || this.size.test(text) || this.form.test(word);
  }
}

/** A name of hardware: `core` must stand in a query, `rest` may. */
export class Name {
  constructor(language, text, { owner, generation, model, makers }) {
    Object.assign(this, { text, owner, generation, model, makers });
    this.family = text.endsWith("*"); // "Ryzen *": a number of a model may follow
    const all = inWords(language.tokens(text));
    const telling = all.filter((word) => !word.every((token) => language.ignored.has(token.text) || makers.has(token.text)));
    const words = telling.length > 0 ? telling : all;
    const isSize = (word) => word.length === 1 && language.size.test(word[0].text);
    const isForm = (word) => language.form.test(joined(word)); // a year or "x2" tells nothing by itself
    const numbered = words.filter((word) => /\d|#./.test(joined(word)) && !isSize(word) && !isForm(word));
    this.short = numbered.length > 0 && numbered.every((word) => /^(?:\d{1,2}|\d+\.\d+|[a-z]?[#\d]*#[#\d]*)$/.test(joined(word)));
    this.core = numbered.length > 0 && !this.short ? numbered : words.filter((word) => !isSize(word) && joined(word) !== "#");
    this.words = all;
    this.rest = all.filter((word) => !this.core.includes(word));
    this.optional = this.rest.filter((word) => words.includes(word) && !isSize(word));
    this.isNumber = this.core.every((word) => /^[\d.]+$/.test(joined(word)));
    this.isWeak = /^[a-z]?[\d.]{1,4}[a-z]?$/.test(this.core.map(joined).join("")); // other products are called so, too
    this.length = this.core.map(joined).join("").length;
  }

  /** The places in `asked` where the name stands, or null. `around` are words that belong to the same hardware. */
  fit(asked, around) {
    const core = new Set();
    for (const word of this.core) {
      const found = placesOf(word, asked);
      if (!found) return null;
      found.forEach((at) => core.add(at));
    }
    const all = new Set(core);
    let missing = 0;
    for (const word of this.rest) {
      const found = placesOf(word, asked);
      found?.forEach((at) => all.add(at));
      if (!found && this.optional.includes(word)) missing += 1;
    }
    if (this.family) followers(Math.max(...core) + 1, asked, around).forEach((at) => all.add(at));
    return { name: this, core, all, missing };
  }

  /** Whether every word of a query is part of this name, the last one perhaps begun; `exact`: the name begins with them. */
  continues(asked, exact) {
    if (exact && !this.words.map(joined).join("").startsWith(joined(asked))) return false;
    const runs = this.words.flat().map(({ text }) => text);
    const begins = ({ text }) => (asked.length > 1 ? runs : runs.slice(0, 1)).some((run) => run.startsWith(text)); // "nan" is no Jetson Nano
    return asked.every((token, at) => runs.includes(token.text) || (at === asked.length - 1 && begins(token)));
  }
}

export function inWords(tokens) {
  const words = [];
  for (const token of tokens) {
    if (token.start || words.length === 0) words.push([token]);
    else words.at(-1).push(token);
  }
  return words;
}

export function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

export function longestFirst(words) {
  return [...words].sort((a, b) => b.length - a.length);
}

export function joined(word) {
  return word.map(({ text }) => text).join("");
}

/** Where a word stands, preferably by itself; `#` stands for a digit. */
function placesOf(word, asked) {
  if (word.some(({ text }) => text === "#")) {
    const pattern = new RegExp(`^${escaped(joined(word)).replaceAll("#", "\\d")}$`);
    const at = asked.findIndex((token) => token.start && pattern.test(token.word));
    if (at < 0) return null;
    return asked.flatMap((token, n) => (n >= at && token.word === asked[at].word && n < at + 4 ? [n] : []));
  }
  let best = null;
  for (let at = 0; at + word.length <= asked.length; at += 1) {
    if (!word.every(({ text }, n) => asked[at + n].text === text)) continue;
    const places = word.map((_, n) => at + n);
    if (asked[at].start && asked[at + word.length - 1].end) return places;
    if (word.length > 1 || word[0].text.length > 1 || asked[at].end) best ??= places;
  }
  return best;
}

/** The number of a model behind the name of its family: "7 PRO 5850U" behind "Ryzen", "Gold 6338" behind "Xeon". */
function followers(from, asked, { words, ignored }) {
  const found = [];
  let at = from;
  const take = () => {
    do found.push(at);
    while (!asked[at++].end && at < asked.length);
  };
  const known = ({ text, word, digit }) => (digit ? word.length <= 2 : words.has(text) || ignored.has(text));
  while (at < asked.length && known(asked[at])) take();
  if (at < asked.length && asked[at].digit && asked[at].word.length > 2) take();
  if (/^v\d$/.test(asked[at]?.word ?? "")) take();
  return found;
}

/** How many letters must change, or change places with the next one, to make one text of another. */
export function distance(one, other) {
  let before = [];
  let row = [...other, ""].map((_, n) => n);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let n = 0; n < other.length; n += 1) {
      const isSwapped = at > 0 && n > 0 && letter === other[n - 1] && one[at - 1] === other[n];
      next.push(Math.min(row[n] + (letter === other[n] ? 0 : 1), row[n + 1] + 1, next[n] + 1, isSwapped ? before[n - 1] + 1 : Infinity));
    }
    [before, row] = [row, next];
  }
  return row.at(-1);
}

/** The names of machine types as patterns; the part before a `*` fits by itself, and "ND H100 v5" stands for the whole type. */
export function instancePattern(type) {
  const plain = type.toLowerCase().replace(/^standard_/, "").replaceAll(".", "\\.");
  const open = plain.replace(/(\\\.|-)\*$/, "(?:$1[a-z0-9-]*)?").replace(/(?<!\])\*([a-z]*)/g, "(?:[a-z0-9-]*$1)?");
  return new RegExp(`(?:^|[\\s,(])(?:standard[_ ])?(?:ml\\.)?${open.replaceAll("_", "[_ ]")}(?=$|[\\s,)])`);
}
