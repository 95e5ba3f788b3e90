// Splits texts into tokens and finds names of hardware in them. Digits and endings matter: "RX 550" must not match RX 5500.

/** Splits texts into runs of letters and runs of digits, so that "RTX4090" and "RTX 4090" have the same tokens. */
export class Language {
  /** The first parameter is the table of data/finder.yaml; `names` are names in other scripts, which need no spaces around them. */
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

  /**
   * Returns the tokens of a text. `text` is the run of letters or digits; `word` is the word that it is part of; `start`
   * and `end` tell whether the run begins or ends that word; `digit` tells whether the word has a digit.
   */
  tokens(text) {
    let plain = text.normalize("NFKD").replace(/(?<=[a-z]{3})(?=[A-Z]{1,4}\d)|(?<=(?:^|\s)\d{1,2}[x×])(?=[A-Z])/g, " ").toLowerCase().replace(/[\u0300-\u036f]/g, "").replace(/[™®]|\((?:r|tm|c|\d+)\)|\brev(?:ision)?[ .:]*[\da-f.]+\b/g, " ").replace(/\bgen (\d)/g, "gen$1").replace(/\btpu(?=v\d)/g, "tpu ");
    plain = plain.normalize("NFC").replace(this.scripts, " $& ").replace(/[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[$€£¥元](?!\s?\d)|(?:usd|eur|gbp|rmb|euros?|dollars?|bucks|pounds?)\b)/g, " ");
    plain = plain.replace(/(?<![\w.-])(\d{1,2})(?: ?[x×](?=\s|$)| ?[x×] ?(?=[a-z]{0,6}\d{3}|[a-z]{1,6}\d))/g, "x$1 ").replace(/(?:(?<=[\d\s(]|^)x|[×*]) ?(\d{1,2})(?![\d.a-z])/g, " x$1 ").replace(this.gaps, "$1$2").replace(/(?<![a-z\d#])(\d{1,3})(?:gi?b?| ?(?:go|гб))(?![a-z\d])/g, "$1gb");
    for (const [pattern, replacement] of this.phrases) plain = plain.replace(pattern, replacement);
    return [...plain.matchAll(/(?:[a-z0-9#]|(?<=\d)\.(?=\d))+|[^\P{Letter}a-z]+/gu)].flatMap(([word]) => {
      const runs = word.match(this.runs) ?? [];
      return runs.map((run, n) => ({ text: run, word, start: n === 0, end: n === runs.length - 1, digit: /\d/.test(word) }));
    });
  }

  /** Returns whether a token does not identify a product, such as a size or a form factor, unless a name contains it. */
  isNoise({ text, word, digit }) {
    return this.ignored.has(digit ? word : text) || this.size.test(text) || this.form.test(word);
  }
}

/**
 * A name of hardware. `words` are its words, each a list of tokens. A query must contain the words in `core`. It may lack
 * the words in `rest`; of these, the words in `optional` make a match better.
 */
export class Name {
  constructor(language, text, { owner, generation, model, makers }) {
    Object.assign(this, { text, owner, generation, model, makers });
    this.family = text.endsWith("*"); // "Ryzen *": a model number may follow
    const allWords = inWords(language.tokens(text));
    const distinguishing = allWords.filter((word) => !word.every((token) => language.ignored.has(token.text) || makers.has(token.text)));
    const significantWords = distinguishing.length > 0 ? distinguishing : allWords;
    const isSize = (word) => word.length === 1 && language.size.test(word[0].text);
    const isForm = (word) => language.form.test(joined(word)); // a year or "x2" identifies nothing by itself
    const numberedWords = significantWords.filter((word) => /\d|#./.test(joined(word)) && !isSize(word) && !isForm(word));
    this.short = numberedWords.length > 0 && numberedWords.every((word) => /^(?:\d{1,2}|\d+\.\d+|[a-z]?[#\d]*#[#\d]*)$/.test(joined(word)));
    this.core = numberedWords.length > 0 && !this.short ? numberedWords : significantWords.filter((word) => !isSize(word) && joined(word) !== "#");
    this.words = allWords;
    this.rest = allWords.filter((word) => !this.core.includes(word));
    this.optional = this.rest.filter((word) => significantWords.includes(word) && !isSize(word));
    this.isNumber = this.core.every((word) => /^[\d.]+$/.test(joined(word)));
    this.isWeak = /^[a-z]?[\d.]{1,4}[a-z]?$/.test(this.core.map(joined).join("")); // other products have such names, too
    this.length = this.core.map(joined).join("").length;
  }

  /**
   * Finds this name in the tokens of a query: null if a word of its core is missing, else `core` and `all`, the sets of
   * token positions of its core and of all its words, and `missing`, the number of optional words that the query does
   * not have. `hardwareWords` has `words`, the words of the same hardware's names, and `ignored`.
   */
  fit(tokens, hardwareWords) {
    const corePositions = new Set();
    for (const word of this.core) {
      const positions = positionsOf(word, tokens);
      if (!positions) return null;
      positions.forEach((position) => corePositions.add(position));
    }
    const allPositions = new Set(corePositions);
    let missing = 0;
    for (const word of this.rest) {
      const positions = positionsOf(word, tokens);
      positions?.forEach((position) => allPositions.add(position));
      if (!positions && this.optional.includes(word)) missing += 1;
    }
    if (this.family) modelNumberPositions(Math.max(...corePositions) + 1, tokens, hardwareWords).forEach((position) => allPositions.add(position));
    return { name: this, core: corePositions, all: allPositions, missing };
  }

  /** Returns whether all tokens of a query are in this name; the last one may be incomplete. */
  continues(tokens, mustBeginName) {
    if (mustBeginName && !this.words.map(joined).join("").startsWith(joined(tokens))) return false;
    const runs = this.words.flat().map(({ text }) => text);
    const begins = ({ text }) => (tokens.length > 1 ? runs : runs.slice(0, 1)).some((run) => run.startsWith(text)); // "nan" must not match Jetson Nano
    return tokens.every((token, index) => runs.includes(token.text) || (index === tokens.length - 1 && begins(token)));
  }
}

/** Groups tokens into words; each word is a list of tokens. */
export function inWords(tokens) {
  const words = [];
  for (const token of tokens) {
    if (token.start || words.length === 0) words.push([token]);
    else words.at(-1).push(token);
  }
  return words;
}

/** Escapes a text for use in a regular expression. */
export function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Sorts words by length, so that a pattern of alternatives tries the longest first. */
export function longestFirst(words) {
  return [...words].sort((a, b) => b.length - a.length);
}

/** Returns the text of a list of tokens. */
export function joined(word) {
  return word.map(({ text }) => text).join("");
}

/** Returns the positions of the tokens that match a word, preferably a whole word of the query; `#` matches a digit. Null if none. */
function positionsOf(word, tokens) {
  if (word.some(({ text }) => text === "#")) {
    const pattern = new RegExp(`^${escaped(joined(word)).replaceAll("#", "\\d")}$`);
    const first = tokens.findIndex((token) => token.start && pattern.test(token.word));
    if (first < 0) return null;
    return tokens.flatMap((token, n) => (n >= first && token.word === tokens[first].word && n < first + 4 ? [n] : []));
  }
  let best = null;
  for (let start = 0; start + word.length <= tokens.length; start += 1) {
    if (!word.every(({ text }, n) => tokens[start + n].text === text)) continue;
    const positions = word.map((_, n) => start + n);
    if (tokens[start].start && tokens[start + word.length - 1].end) return positions;
    if (word.length > 1 || word[0].text.length > 1 || tokens[start].end) best ??= positions;
  }
  return best;
}

/** Returns the positions of a model number after the name of a family: "7 PRO 5850U" after "Ryzen", "Gold 6338" after "Xeon". */
function modelNumberPositions(start, tokens, { words, ignored }) {
  const positions = [];
  let position = start;
  const takeWord = () => {
    do positions.push(position);
    while (!tokens[position++].end && position < tokens.length);
  };
  const isExpected = ({ text, word, digit }) => (digit ? word.length <= 2 : words.has(text) || ignored.has(text));
  while (position < tokens.length && isExpected(tokens[position])) takeWord();
  if (position < tokens.length && tokens[position].digit && tokens[position].word.length > 2) takeWord();
  if (/^v\d$/.test(tokens[position]?.word ?? "")) takeWord();
  return positions;
}

/** Returns the edit distance of two texts: how many letters to insert, remove, replace, or swap with the next letter. */
export function distance(first, second) {
  let rowBefore = [];
  let row = [...second, ""].map((_, n) => n);
  for (const [firstIndex, letter] of [...first].entries()) {
    const nextRow = [firstIndex + 1];
    for (let secondIndex = 0; secondIndex < second.length; secondIndex += 1) {
      const isSwapped = firstIndex > 0 && secondIndex > 0 && letter === second[secondIndex - 1] && first[firstIndex - 1] === second[secondIndex];
      nextRow.push(Math.min(row[secondIndex] + (letter === second[secondIndex] ? 0 : 1), row[secondIndex + 1] + 1, nextRow[secondIndex] + 1, isSwapped ? rowBefore[secondIndex - 1] + 1 : Infinity));
    }
    [rowBefore, row] = [row, nextRow];
  }
  return row.at(-1);
}

/** Returns a pattern for a cloud machine type. The part before a final `*` matches by itself; spaces can stand for underscores. */
export function instancePattern(type) {
  const normalized = type.toLowerCase().replace(/^standard_/, "").replaceAll(".", "\\.");
  const withWildcards = normalized.replace(/(\\\.|-)\*$/, "(?:$1[a-z0-9-]*)?").replace(/(?<!\])\*([a-z]*)/g, "(?:[a-z0-9-]*$1)?");
  return new RegExp(`(?:^|[\\s,(])(?:standard[_ ])?(?:ml\\.)?${withWildcards.replaceAll("_", "[_ ]")}(?=$|[\\s,)])`);
}
