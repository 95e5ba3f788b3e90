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

// What differs from machine to machine, and what PyTorch adds to every error of a device.
const FRAME = /^[ \t]*File "[^"\n]*", line \d+.*(?:\n[ \t]{3,}\S.*)*/gm; // a step of a traceback, with its line of code
const NOISE = [
  [/\b\w+ kernel errors might be asynchronously reported[^.]{0,200}\.?/g, " "],
  [/\bFor debugging consider passing [^.\n]{0,100}\.?/g, " "],
  [/\bCompile with [`']?TORCH_USE_\w+[`']? to enable device-side assertions\.?/g, " "],
  [/\b(?:CUDA_LAUNCH_BLOCKING|TORCH_USE_\w+_DSA|AMD_SERIALIZE_KERNEL|TORCHDYNAMO_VERBOSE|TORCH_LOGS)\b(?:=\S*)?/g, " "],
  [/\u001b\[[0-9;]{0,20}[A-Za-z]/g, ""], // colors of a terminal
  [/https?:\/\/\S+/g, " "],
  [/\b\d{4}-(?:\d\d|[A-Za-z]{3})-\d\d(?:[T\- ]?\d\d:\d\d:\d\d[\d.:]*Z?)?/g, " "], // a date or time
  [/\b0x[0-9a-fA-F]+/g, " "],
  [/\b[\w.]{0,80}(?:Error|Exception|Warning)(?=[ \t]*:)/g, " "], // the name of an exception
  [/(?:[A-Za-z]:)?(?:[\\/][^\s\\/:"'()]+)+/g, kept],
];
const SYMBOL = /\b_Z[A-Za-z0-9_]+/g; // a C++ symbol as linkers write it

// An answer opens by itself if its score is `CLEAR` times the next one's, and either `SURE`, or `CLOSE` while the message
// has this share of the words of its title, counted by how rare they are.
const SURE = 60;
const CLOSE = 18;
const SHARE = 0.35;
const CLEAR = 1.2;
const NAMED = 1.5; // times the score of the answers of a platform that the message names
const NOT_NAMED = 0.25; // if the message names another platform
const NONE_NAMED = 0.8; // if it names none
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

/** The message without paths, addresses, times, names of exceptions and steps of tracebacks. */
export function cleaned(message) {
  return [[FRAME, " "], ...NOISE, [SYMBOL, " "]].reduce((text, [pattern, instead]) => text.replace(pattern, instead), message);
}

/** The words by which a message is looked for; all of its words, if nothing else is left. */
export function query(message) {
  const found = new Set(terms(cleaned(message)));
  return found.size > 0 ? found : new Set(terms(message));
}

/** The ids of the platforms that a message names; if its words name none, those that its traceback names. */
export function named(index, message) {
  const words = NOISE.reduce((text, [pattern, instead]) => text.replace(pattern, instead), message.replace(FRAME, " "));
  const found = namedIn(index.names, words);
  return found.size > 0 ? found : namedIn(index.names, message);
}

/** Longer names first: torch_tpu is not the tpu of another platform. */
function namedIn(names, text) {
  const found = new Set();
  for (const name of Object.keys(names).sort((one, other) => other.length - one.length)) {
    const any = name === name.toLowerCase();
    const escaped = name.replace(/[^\w]/g, "\\$&");
    const pattern = new RegExp(`(?<![a-zA-Z0-9])(?:lib)?${escaped}`, any ? "gi" : "g");
    text = text.replace(pattern, (word, place) => {
      if (continues(word.at(-1), text.slice(place + word.length, place + word.length + 2))) return word;
      for (const platform of names[name]) found.add(platform);
      return " ";
    });
  }
  return found;
}

/** Whether a word goes on in the same way: "cann" in "cannot" or "CANNOT", but not "hip" in "hipError". */
function continues(last, next) {
  return /[a-z]/.test(last) ? /^[a-z]/.test(next) : /[A-Z]/.test(last) && /^[A-Z](?![a-z])/.test(next);
}

/**
 * The answers to a message, best first, and the one that is clearly the right one, if any. What the message names
 * decides the platform; the answer of another one never opens.
 */
export function answers(index, message, selected = "") {
  const platforms = selected ? new Set([selected]) : named(index, message);
  const words = query(message);
  const scores = new Map();
  for (const term of words) {
    if (!Object.hasOwn(index.terms, term)) continue;
    for (const [place, weight] of index.terms[term]) scores.set(place, (scores.get(place) ?? 0) + weight);
  }
  const found = [...scores]
    .map(([place, score]) => {
      const question = index.questions[place];
      const share = titleShare(index, place, words);
      const group = question.split("/")[0];
      const fits = group === "any" || platforms.has(group);
      const other = platforms.size === 0 ? NONE_NAMED : NOT_NAMED;
      const factor = platforms.has(group) ? NAMED : group === "any" ? 1 : other;
      return { question, fits, share, score: score * factor };
    })
    .sort((one, other) => other.score - one.score);
  const [first, second] = found;
  const close = first?.score >= CLOSE && /\w/.test(cleaned(message));
  const clear = close && first.fits && first.score >= CLEAR * (second?.score ?? 0);
  const opens = clear && (first.score >= SURE || first.share >= SHARE);
  return { found, named: platforms, close, opened: opens ? first.question : null };
}

/** How much of what a title quotes, or of the whole title, the message has; rare words count more. */
function titleShare(index, place, words) {
  const title = index.titles[place];
  const quoted = [...title.matchAll(/"([^"]+)"/g)].map(([, text]) => text).join(" ");
  const rarity = (term) => Math.log(index.questions.length / (index.terms[term]?.length ?? 1));
  const sum = (all) => all.reduce((total, term) => total + rarity(term), 0);
  const asked = [...new Set(terms(quoted || title))].filter((term) => !term.includes(" "));
  return sum(asked.filter((term) => words.has(term))) / sum(asked);
}
