// The history of one test, from the data to what is drawn. Nothing here knows the page.

const DAY = 86_400_000;

/** What is written in a test's key for a suite and a name, as the library writes it. */
export function keyOf(suite, name) {
  return `${quoted(suite, "")}/${quoted(name, "/:[](),+*@!;")}`;
}

function quoted(text, plain) {
  const encoded = encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return encoded.replace(/%[0-9A-F]{2}/g, (code) => {
    const sign = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return plain.includes(sign) ? sign : code;
  });
}

/** A key as readers know it: `torchbench/hf_Bert`. */
export const nameOf = (key) => decoded(key);

/** The settings of a key in words: `inference, inductor, float32`. */
export function settingsWords(query) {
  const pairs = pairsOf(query);
  const plain = ["mode", "compiler", "dtype"];
  const first = plain.flatMap((name) => pairs.filter(([own]) => own === name).map(([, value]) => value));
  return [...first, ...pairs.filter(([name]) => !plain.includes(name)).map((pair) => pair.join(" "))].join(", ");
}

const pairsOf = (query) => (query ? query.split("&").map((pair) => pair.split("=").map(decoded)) : []);

/** Anybody may write an address. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The suite and those settings that are a whole run's: what a report has all of, or nothing. */
export function groupOf(key, query, settings) {
  const own = query.split("&").filter((pair) => settings.includes(decoded(pair.split("=")[0])));
  return key.split("/")[0] + (query && own.length ? `?${own.join("&")}` : "");
}

/** A test's course in each of its settings: what was said, from when until when, and the reports of both. */
export function coursesOf(index, key, test, settings) {
  return Object.entries(test).map(([query, steps]) => {
    const last = index.last[groupOf(key, query, settings)] ?? index.reports.length - 1;
    const parts = steps.map(([number, outcome, stage], place) => ({
      outcome,
      stage,
      number,
      from: timeOf(index, number),
      until: timeOf(index, steps[place + 1]?.[0] ?? Math.max(last, number)),
    }));
    return { words: settingsWords(query), parts, last };
  });
}

const timeOf = (index, number) => Date.parse(index.reports[number].started);

/** The time that a picture shows: from the first report to the last, a day at least. */
export function spanOf(index) {
  const first = timeOf(index, 0);
  return { first, last: Math.max(timeOf(index, index.reports.length - 1), first + DAY) };
}

/** "passed since 2026-03-01, 7 changes" */
export function courseWords({ parts }, reports) {
  const newest = parts.at(-1);
  const changes = parts.length - 1;
  const day = reports[newest.number].started.slice(0, 10);
  const said = newest.outcome ? newest.outcome.replaceAll("-", " ") : "gone";
  const since = changes ? `since ${day}` : `since the first report, ${day}`;
  return `${said} ${since}, ${changes} ${changes === 1 ? "change" : "changes"}`;
}

/** Every change of every setting, the newest first; the report before it is where the same code was last seen. */
export function changesOf(courses, reports) {
  const found = courses.flatMap(({ words, parts }) =>
    parts.map((part, place) => ({ ...part, words, before: place ? parts[place - 1].outcome : undefined, report: reports[part.number], earlier: reports[part.number - 1] })),
  );
  return found.sort((one, other) => other.number - one.number);
}

/** Where the commits between two reports can be read, below `root`; nothing where they name none of one repository. */
export function commitsOf(earlier, report, root) {
  if (!report.repository || !report.commit) return null;
  const base = `${root}${report.repository}`;
  const both = earlier?.repository === report.repository && earlier.commit && earlier.commit !== report.commit;
  const short = (commit) => commit.slice(0, 9);
  if (!both) return { href: `${base}/commit/${report.commit}`, text: short(report.commit) };
  return { href: `${base}/compare/${earlier.commit}...${report.commit}`, text: `${short(earlier.commit)}…${short(report.commit)}` };
}
