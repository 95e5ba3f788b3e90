// Which question answers a pasted error message: a pure model; the page that uses it is in questions.js.
// The site's build weighs the words (site/question_index.py): rare ones count most. Here a message loses what is
// different on every machine, and the weights of its words are added up.

// The same list as in site/question_index.py; a test compares what both make of every question.
const COMMON = new Set(
  ("about above after all also an and any are as at be been before but by can could did do does for from had has" +
    " have how if in into is it its last line may me mean most my no not of on once one only or other our out over" +
    " recent run see should so some such than that the then there these they this to too traceback try under up use" +
    " used using was we were what when where which while who why will with would you your").split(" "),
);
const WORD = /[a-z0-9_]+(?:::[a-z0-9_]+)*/g;
const PART = /::|_/;
const LONGEST = 100; // characters of a name; what is longer is data

// What differs from machine to machine, and what to keep of it.
const NOISE = [
  [/\u001b\[[0-9;]{0,20}[A-Za-z]/g, ""], // colors of a terminal
  [/^[ \t]*File "[^"\n]*", line \d+.*$/gm, " "], // a step of a traceback
  [/https?:\/\/\S+/g, " "],
  [/\b\d{4}-(?:\d\d|[A-Za-z]{3})-\d\d(?:[T\- ]?\d\d:\d\d:\d\d[\d.:]*Z?)?/g, " "], // a date or time
  [/\b0x[0-9a-fA-F]+/g, " "],
  [/\b_Z[A-Za-z0-9_]+/g, " "], // a C++ symbol as linkers write it
  [/\b[\w.]{0,80}(?:Error|Exception|Warning)(?=[ \t]*:)/g, " "], // the name of an exception
  [/(?:[A-Za-z]:)?(?:[\\/][^\s\\/:"'()]+)+/g, kept],
];
const LIBRARY = /^(?:lib\w|_).*\.so|\.dll$/;

/** The last part of a path, if it is a library or a device; anything else is different everywhere. */
function kept(path) {
  if (path.startsWith("/dev/")) return path;
  const file = path.split(/[\\/]/).at(-1);
  return LIBRARY.test(file) ? ` ${file}` : " ";
}

/**
 * The words of a text that count, and each pair of neighbors among them. A name such as torch_npu also counts by its
 * parts; a number has at least three digits.
 */
export function* terms(text) {
  let before = "";
  for (const [word] of text.normalize("NFKC").toLowerCase().matchAll(WORD)) {
    if (word.length > LONGEST) continue;
    const whole = word.replace(/^_+|_+$/g, "");
    const parts = whole.split(PART).filter(Boolean);
    const kept = (parts.length > 1 ? [whole, ...parts] : parts).filter(counts).map(singular);
    yield* kept;
    if (kept.length === 0) continue;
    if (before) yield `${before} ${kept[0]}`;
    [before] = kept;
  }
}

function counts(name) {
  return !COMMON.has(name) && name.length >= (/^\d+$/.test(name) ? 3 : 2);
}

function singular(term) {
  return term.length > 3 && /[^sui]s$/.test(term) ? term.slice(0, -1) : term;
}

/** The message without paths, addresses, times and names of exceptions. */
export function cleaned(message) {
  return NOISE.reduce((text, [pattern, instead]) => text.replace(pattern, instead), message);
}

/** The words by which a message is looked for; all of its words, if nothing else is left. */
export function query(message) {
  const found = new Set(terms(cleaned(message)));
  return found.size > 0 ? found : new Set(terms(message));
}

/** The questions that share words with the message, best first: [{ question, score }]. */
export function rank(index, message) {
  const scores = new Map();
  for (const term of query(message)) {
    if (!Object.hasOwn(index.terms, term)) continue;
    for (const [place, weight] of index.terms[term]) scores.set(place, (scores.get(place) ?? 0) + weight);
  }
  return [...scores]
    .map(([place, score]) => ({ question: index.questions[place], score }))
    .sort((one, other) => other.score - one.score);
}
