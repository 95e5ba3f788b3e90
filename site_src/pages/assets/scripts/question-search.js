// Which question answers a pasted error message: a pure model; the page that uses it is in questions.js.
// An answer opens only for a message that it declares in its file. Words rank the others, which stay closed; the site's
// build weighs them (site/platforms/questions.py): rare ones count most.

// The same list as in site/platforms/questions.py; a test compares what both make of every question.
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
  [FRAME, " "],
  [/\b\w+ kernel errors might be asynchronously reported[^.]{0,200}\.?/g, " "],
  [/\bFor debugging consider passing [^.\n]{0,100}\.?/g, " "],
  [/\bCompile with [`']?TORCH_USE_\w+[`']? to enable device-side assertions\.?/g, " "],
  [/\b(?:CUDA_LAUNCH_BLOCKING|TORCH_USE_\w+_DSA|AMD_SERIALIZE_KERNEL|TORCHDYNAMO_VERBOSE|TORCH_LOGS)\b(?:=\S*)?/g, " "],
  [/\u001b\[[0-9;]{0,20}[A-Za-z]/g, ""], // colors of a terminal
  [/https?:\/\/\S+/g, " "],
  [/\(from versions: [^()]*, /g, "(from versions: "], // pip's list without all but its newest
  [/\b\d{4}-(?:\d\d|[A-Za-z]{3})-\d\d(?:[T\- ]?\d\d:\d\d:\d\d[\d.:]*Z?)?/g, " "], // a date or time
  [/\b0x[0-9a-fA-F]+/g, " "],
  [/(?:[A-Za-z]:)?(?:[\\/][^\s\\/:"'()]+)+/g, kept],
];
const LIBRARY = /\.so\b|\.(?:dll|ids)$/; // or the list of AMD's cards
// Only declared messages hold these: the name of an exception, and a C++ symbol as linkers write it.
const UNRANKED = /\b[\w.]{0,80}(?:Error|Exception|Warning)(?=[ \t]*:)|\b_Z[A-Za-z0-9_]+/g;

// An exception, unless it only says that another process or a program within the program failed.
const EXCEPTION =
  /\b[\w.]{0,80}(?<!\bChildFailed|\bCalledProcess|\bProcess(?:Raised|Exited))(?:\BError|Exception)(?=[ \t]*(?::(?!:| Engine core init| The following operation failed in)|$))/gm;
const CPU_BUILD = /(?<=\d)\+cpu\b/g;
const SHUTDOWN = /^Exception ignored in/m; // what follows an error when Python ends
const CAUSED = /^.*The above exception was the direct cause of the following exception:?/gm; // the cause stands above

// A declared message: a part that varies, and how many characters it has at most.
const VARIES = /…|\*|\.{3}/;
const ANYTHING = ".{0,300}?";

const LEAST = 18; // the score of an answer that may fit
const LEAST_WHOLE = 5; // that of an answer that has every word of a few
const FEW = 5; // words
const ALIKE = 4; // scores that differ by less are alike: PyTorch's own platforms come first
const MOST = 3; // answers
const NAMED = 1.5; // times the score of the answers of a platform that the message names

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
function cleaned(message) {
  return NOISE.reduce((text, [pattern, instead]) => text.replace(pattern, instead), message);
}

/**
 * The ids of the platforms that a message names; if its words name none, those that its traceback names. The version of
 * a CPU build, as in 2.15.0+cpu, names none: people who look for their GPU have it, too.
 */
function named(index, text) {
  const message = text.replace(CPU_BUILD, " ");
  const found = namedIn(index, cleaned(message));
  return found.size > 0 ? found : namedIn(index, message);
}

/**
 * Longer names first: torch_tpu is not the tpu of another platform. Of platforms with the same device string, the one
 * that gave it its name counts only alone: PyTorch on ROCm reports a "CUDA error", too.
 */
function namedIn({ names, same_device }, text) {
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
  for (const [platform, others] of Object.entries(same_device)) if (others.some((other) => found.has(other))) found.delete(platform);
  return found;
}

/** Whether a word goes on in the same way: "cann" in "cannot" or "CANNOT", but not "hip" in "hipError". */
function continues(last, next) {
  return /[a-z]/.test(last) ? /^[a-z]/.test(next) : /[A-Z]/.test(last) && /^[A-Z](?![a-z])/.test(next);
}

/** A message from its last exception on; all of it, if it has none. */
export function lastError(message) {
  const [text] = message.split(SHUTDOWN);
  const start = [...text.matchAll(EXCEPTION)].at(-1)?.index ?? 0;
  return text.slice(text.lastIndexOf("\n", start) + 1);
}

/** The last error, then what caused it, then the cause of that. */
function causes(message) {
  return message.split(CAUSED).reverse().map(lastError);
}

/** A text as declared messages are compared: its words in lower case; a dot or hyphen within a word belongs to it. */
function plain(text) {
  const words = cleaned(text).toLowerCase().match(/[a-z0-9_]+(?:[.-]+[a-z0-9_]+)*/g) ?? [];
  return words.join(" ");
}

/** The length of the longest declared message in the text, by the number of its question. */
function declared(index, text) {
  const words = ` ${plain(text)} `;
  const found = new Map();
  for (const [place, message] of index.messages) {
    const parts = message.split(VARIES).map(plain);
    const { length } = parts.join("");
    const pattern = ` ${parts.join(ANYTHING).replaceAll(/\.(?=[a-z0-9_])/g, "\\.")} `.replace(` ${ANYTHING}`, "");
    if (length > (found.get(place) ?? 0) && new RegExp(pattern).test(words)) found.set(place, length);
  }
  return found;
}

/**
 * The answers that are shown, best first, and the one that opens: it declares the last error of the message. Selecting
 * another platform keeps it closed; then it is `other`. What the message names decides the platform.
 */
export function answers(index, message, selected = "") {
  const last = lastError(message);
  const names = [last, message].map((text) => named(index, text)).find((found) => found.size > 0) ?? new Set();
  const platforms = selected ? new Set([selected]) : names;
  const group = (place) => index.questions[place]?.split("/")[0];
  const titled = headed(index, message);
  const fits = (place) => platforms.size === 0 || group(place) === "any" || platforms.has(group(place)) || (!selected && titled.includes(place));
  const declaring = (text) => {
    const found = declared(index, text);
    const own = (place) => Number(platforms.size > 0 && group(place) !== "any");
    return [...found.keys()].sort((one, other) => own(other) - own(one) || found.get(other) - found.get(one));
  };
  const now = [titled, ...causes(message).map(declaring)].find((found) => found.length > 0) ?? [];
  const owners = new Set(now.map(group).filter((owner) => owner !== "any"));
  const sure = platforms.size > 0 || group(now[0]) === "any" || owners.size === 1;
  const right = sure ? now.find(fits) : undefined;
  const other = right === undefined && selected ? now[0] : undefined;
  const { scores, whole } = ranked(index, last);
  const score = (place) => scores.get(place) * (platforms.has(group(place)) ? NAMED : 1);
  const rank = (place) => Math.round(score(place) / ALIKE);
  const near = [...scores.keys()].filter((place) => score(place) >= (whole.has(place) ? LEAST_WHOLE : LEAST)).sort((one, two) => rank(two) - rank(one) || one - two);
  const places = [...now, ...declaring(message), ...quoting(index, last), ...near].filter((place) => fits(place) || place === other);
  const id = (place) => index.questions[place] ?? null;
  return { found: [...new Set(places)].slice(0, MOST).map(id), named: names, opened: id(right), other: id(other) };
}

/** The questions whose heading is the whole text. */
function headed(index, text) {
  const asked = plain(text);
  return asked ? [...index.titles.keys()].filter((place) => plain(index.titles[place]) === asked) : [];
}

/** The questions that declare a message with the whole text in it, such as "no kernel image"; one word is too little. */
function quoting(index, text) {
  const words = plain(text);
  return words.includes(" ") ? index.messages.filter(([, message]) => ` ${plain(message)} `.includes(` ${words} `)).map(([place]) => place) : [];
}

/** The score of each question that has words of the text; `whole` are those that have every word of a text of a few. */
function ranked(index, text) {
  const scores = new Map();
  const missing = new Map();
  const all = [...new Set(terms(cleaned(text).replace(UNRANKED, " ")))];
  const words = all.filter((term) => !term.includes(" "));
  for (const term of all) {
    if (!Object.hasOwn(index.terms, term)) continue;
    for (const [place, weight] of index.terms[term]) {
      scores.set(place, (scores.get(place) ?? 0) + weight);
      if (words.includes(term)) missing.set(place, (missing.get(place) ?? words.length) - 1);
    }
  }
  const whole = new Set(words.length <= FEW ? [...scores.keys()].filter((place) => missing.get(place) === 0) : []);
  return { scores, whole };
}
