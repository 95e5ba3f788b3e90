// Finds the questions that answer a pasted error message. This module does not use the page; questions.js shows the results.
// An answer opens only for a message that its file declares. Other answers are ranked by their words and stay closed; the
// site's build computes the weights of words (site/pages/questions.py): rare words weigh most.
// In this file, a question is its number: the position of its id in `index.questions`.

// The same list as in site/pages/questions.py; a test compares the terms that both compute for every question.
const COMMON = new Set(
  ("about above after all also an and any are as at be been before but by can could did do does for from had has" +
    " have how if in into is it its last line may me mean most my no not of on once one only or other our out over" +
    " recent run see should so some such than that the then there these they this to too traceback try under up use" +
    " used using was we were what when where which while who why will with would you your").split(" "),
);
const WORD = /[a-z0-9_]+(?:::[a-z0-9_]+)*/g;
const PART = /::|_/;
const LONGEST_NAME = 100; // characters of a word; a longer one is data

// Parts of messages that differ between machines, and sentences that PyTorch adds to every device error.
const FRAME = /^[ \t]*File "[^"\n]*", line \d+.*(?:\n[ \t]{3,}\S.*)*/gm; // a frame of a traceback, with its line of code
const NOISE = [
  [FRAME, " "],
  [/\b\w+ kernel errors might be asynchronously reported[^.]{0,200}\.?/g, " "],
  [/\bFor debugging consider passing [^.\n]{0,100}\.?/g, " "],
  [/\bCompile with [`']?TORCH_USE_\w+[`']? to enable device-side assertions\.?/g, " "],
  [/\b(?:CUDA_LAUNCH_BLOCKING|TORCH_USE_\w+_DSA|AMD_SERIALIZE_KERNEL|TORCHDYNAMO_VERBOSE|TORCH_LOGS)\b(?:=\S*)?/g, " "],
  [/\u001b\[[0-9;]{0,20}[A-Za-z]/g, ""], // colors of a terminal
  [/https?:\/\/\S+/g, " "],
  [/\(from versions: [^()]*, /g, "(from versions: "], // shortens pip's list of versions to the newest
  [/\b\d{4}-(?:\d\d|[A-Za-z]{3})-\d\d(?:[T\- ]?\d\d:\d\d:\d\d[\d.:]*Z?)?/g, " "], // a date or time
  [/\b0x[0-9a-fA-F]+/g, " "],
  [/(?:[A-Za-z]:)?(?:[\\/][^\s\\/:"'()]+)+/g, withoutFolders],
];
const LIBRARY = /\.so\b|\.(?:bc|dll|ids)$/; // libraries, device code, and amdgpu.ids, the list of AMD's cards
// Names of exceptions and mangled C++ symbols: declared messages may contain them, but they do not count in the ranking.
const UNRANKED = /\b[\w.]{0,80}(?:Error|Exception|Warning)(?=[ \t]*:)|\b_Z[A-Za-z0-9_]+/g;

// The name of an exception that begins an error, except exceptions which only report that another process failed.
const EXCEPTION =
  /\b[\w.]{0,80}(?<!\bChildFailed|\bCalledProcess|\bProcess(?:Raised|Exited))(?:\BError|Exception)(?=[ \t]*(?::(?!:| Engine core init| The following operation failed in)|$))/gm;
const CPU_BUILD = /(?<=\d)\+cpu\b/g;
const SHUTDOWN = /^Exception ignored in/m; // begins messages that follow an error when Python exits
const DIRECT_CAUSE = /^.*The above exception was the direct cause of the following exception:?/gm; // the text above it is the cause

// The placeholder for a part of a declared message that varies, and the pattern that replaces it.
const VARIES = /…|\*|\.{3}/;
const ANYTHING = ".{0,300}?";

const LEAST = 18; // the lowest score of an answer that may fit
const LEAST_WHOLE = 5; // the lowest score if an answer has every word of a short message
const FEW_WORDS = 5; // the most words of a short message
const SIMILAR = 4; // scores that differ by less count as equal: then PyTorch's own platforms come first
const MOST_ANSWERS = 3;
const NAMED_FACTOR = 1.5; // multiplies the scores of answers about a platform that the message names

// The loader's message about a library that is missing: an answer that does not know the library is about another one.
const MISSING_LIBRARY = /\b(lib[a-z0-9_]+)[\w.+-]*: cannot open shared object file/i;

/** Returns a device path, or the file name of a library; other paths differ between machines and are removed. */
function withoutFolders(path) {
  if (path.startsWith("/dev/")) return path;
  const file = path.split(/[\\/]/).at(-1);
  return LIBRARY.test(file) ? ` ${file}` : " ";
}

/**
 * Yields the terms of a text: its words without common ones, and each pair of adjacent words, joined by a space. A name
 * such as torch_npu also yields its parts; numbers need at least three digits.
 */
export function* terms(text) {
  let previous = "";
  for (const [word] of text.normalize("NFKC").toLowerCase().matchAll(WORD)) {
    if (word.length > LONGEST_NAME) continue;
    const trimmed = word.replace(/^_+|_+$/g, "");
    const parts = trimmed.split(PART).filter(Boolean);
    const counted = (parts.length > 1 ? [trimmed, ...parts] : parts).filter(counts).map(singular);
    yield* counted;
    if (counted.length === 0) continue;
    if (previous) yield `${previous} ${counted[0]}`;
    [previous] = counted;
  }
}

/** Returns whether a word is long enough and not common. */
function counts(name) {
  return !COMMON.has(name) && name.length >= (/^\d+$/.test(name) ? 3 : 2);
}

/** Returns an English word without its plural "s". */
function singular(term) {
  return term.length > 3 && /[^sui]s$/.test(term) ? term.slice(0, -1) : term;
}

/** Returns a message without paths, addresses, times, frames of tracebacks and other noise. */
function cleaned(message) {
  return NOISE.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);
}

/**
 * Returns the ids of the platforms that a message names; if its words name none, of those that its traceback names. The
 * version of a CPU build, as in 2.15.0+cpu, does not name the CPU: readers with a GPU can have that build by mistake.
 */
function platformsNamedIn(index, text) {
  const message = text.replace(CPU_BUILD, " ");
  const platforms = platformsIn(index, cleaned(message));
  return platforms.size > 0 ? platforms : platformsIn(index, message);
}

/**
 * Returns the ids of the platforms whose names a text has. Longer names match first, so that "torch_tpu" does not match
 * another platform's "tpu". If platforms share a device string, the one that it is named after counts only if the text
 * names none of the others: PyTorch on ROCm reports a "CUDA error", too.
 */
function platformsIn({ names, same_device }, text) {
  const platforms = new Set();
  for (const name of Object.keys(names).sort((first, second) => second.length - first.length)) {
    const isLowerCase = name === name.toLowerCase();
    const escaped = name.replace(/[^\w]/g, "\\$&");
    const pattern = new RegExp(`(?<![a-zA-Z0-9])(?:lib)?${escaped}`, isLowerCase ? "gi" : "g");
    text = text.replace(pattern, (word, position) => {
      if (continues(word.at(-1), text.slice(position + word.length, position + word.length + 2))) return word;
      for (const platform of names[name]) platforms.add(platform);
      return " ";
    });
  }
  for (const [platform, others] of Object.entries(same_device)) if (others.some((other) => platforms.has(other))) platforms.delete(platform);
  return platforms;
}

/** Returns whether a match is only the start of a longer word: "cann" in "cannot" or "CANNOT", but not "hip" in "hipError". */
function continues(last, next) {
  return /[a-z]/.test(last) ? /^[a-z]/.test(next) : /[A-Z]/.test(last) && /^[A-Z](?![a-z])/.test(next);
}

/** Returns a message from the line of its last exception on; all of it if it has no exception. */
export function lastError(message) {
  const [text] = message.split(SHUTDOWN);
  const start = [...text.matchAll(EXCEPTION)].at(-1)?.index ?? 0;
  return text.slice(text.lastIndexOf("\n", start) + 1);
}

/** Returns the last error of a message, then its cause, then the cause of that, and so on. */
function causes(message) {
  return message.split(DIRECT_CAUSE).reverse().map(lastError);
}

/** Returns a text in the form in which messages are compared: its words in lower case, with dots and hyphens inside words. */
function plain(text) {
  const words = cleaned(text).toLowerCase().match(/[a-z0-9_]+(?:[.-]+[a-z0-9_]+)*/g) ?? [];
  return words.join(" ");
}

/** Returns a map from question to the length of its longest declared message in the text. */
function declaredLengths(index, text) {
  const plainText = ` ${plain(text)} `;
  const lengths = new Map();
  for (const [question, message] of index.messages) {
    const fixedParts = message.split(VARIES).map(plain);
    const { length } = fixedParts.join("");
    const pattern = ` ${fixedParts.join(ANYTHING).replaceAll(/\.(?=[a-z0-9_])/g, "\\.")} `.replace(` ${ANYTHING}`, "");
    if (length > (lengths.get(question) ?? 0) && new RegExp(pattern).test(plainText)) lengths.set(question, length);
  }
  return lengths;
}

/**
 * Returns the answers to a message: `found`, the ids of the questions to show, the best first; `named`, the ids of the
 * platforms that the message names; `opened`, the id of the question that declares the last error of the message or its cause, or null;
 * and `other`, that question if it is about another platform than the selected one, or null.
 * `selected` is the id of the platform that the reader selected; "" means any that the message names.
 */
export function answers(index, message, selected = "") {
  const error = lastError(message);
  const names = [error, message].map((text) => platformsNamedIn(index, text)).find((ids) => ids.size > 0) ?? new Set();
  const platforms = selected ? new Set([selected]) : names;
  const group = (question) => index.questions[question]?.split("/")[0];
  const withHeading = withSameHeading(index, message);
  const fits = (question) => platforms.size === 0 || group(question) === "any" || platforms.has(group(question)) || (!selected && withHeading.includes(question));
  const declaringFor = (text) => {
    const lengths = declaredLengths(index, text);
    const isOwn = (question) => Number(platforms.size > 0 && group(question) !== "any");
    return [...lengths.keys()].sort((first, second) => isOwn(second) - isOwn(first) || lengths.get(second) - lengths.get(first));
  };
  const declaring = [withHeading, ...causes(message).map(declaringFor)].find((questions) => questions.length > 0) ?? [];
  const platformsOfAnswers = new Set(declaring.map(group).filter((platform) => platform !== "any"));
  const isSure = platforms.size > 0 || group(declaring[0]) === "any" || platformsOfAnswers.size === 1;
  const match = isSure ? declaring.find(fits) : undefined;
  const other = match === undefined && selected ? declaring[0] : undefined;
  const { scores, whole } = scoresOf(index, error);
  const library = MISSING_LIBRARY.exec(cleaned(error))?.[1];
  const knowing = library && new Set((index.terms[terms(library).next().value] ?? []).map(([question]) => question));
  const score = (question) => scores.get(question) * (platforms.has(group(question)) ? NAMED_FACTOR : 1);
  const rank = (question) => Math.round(score(question) / SIMILAR);
  const similar = [...scores.keys()].filter((question) => (!knowing || knowing.has(question)) && score(question) >= (whole.has(question) ? LEAST_WHOLE : LEAST)).sort((a, b) => rank(b) - rank(a) || a - b);
  const ordered = [...declaring, ...declaringFor(message), ...questionsQuoting(index, error), ...similar].filter((question) => fits(question) || question === other);
  const id = (question) => index.questions[question] ?? null;
  return { found: [...new Set(ordered)].slice(0, MOST_ANSWERS).map(id), named: names, opened: id(match), other: id(other) };
}

/** Returns the questions whose heading is the whole text. */
function withSameHeading(index, text) {
  const plainText = plain(text);
  return plainText ? [...index.titles.keys()].filter((question) => plain(index.titles[question]) === plainText) : [];
}

/** Returns the questions that declare a message which contains the whole text, such as "no kernel image"; none for one word. */
function questionsQuoting(index, text) {
  const plainText = plain(text);
  return plainText.includes(" ") ? index.messages.filter(([, message]) => ` ${plain(message)} `.includes(` ${plainText} `)).map(([question]) => question) : [];
}

/** Returns `scores`, a map from question to score, and `whole`, the set of questions that have every word of a short text. */
function scoresOf(index, text) {
  const scores = new Map();
  const missing = new Map();
  const allTerms = [...new Set(terms(cleaned(text).replace(UNRANKED, " ")))];
  const words = allTerms.filter((term) => !term.includes(" "));
  for (const term of allTerms) {
    if (!Object.hasOwn(index.terms, term)) continue;
    for (const [question, weight] of index.terms[term]) {
      scores.set(question, (scores.get(question) ?? 0) + weight);
      if (words.includes(term)) missing.set(question, (missing.get(question) ?? words.length) - 1);
    }
  }
  const whole = new Set(words.length <= FEW_WORDS ? [...scores.keys()].filter((question) => missing.get(question) === 0) : []);
  return { scores, whole };
}
