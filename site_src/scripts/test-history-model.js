// Computes the history of one test from its data: its outcomes over time and its changes. Nothing here uses the document.

import { settingsOf } from "./compare-reports-model.js";
import { counted } from "./numbers.js";

const DAY_MS = 86_400_000;

/** A key without percent-encoding, such as `torchbench/hf_Bert`. */
export const nameOf = decoded;

/** The settings of a query in words: `inference, inductor, float32`. */
const settingsWords = (query) => settingsOf({ parameters: Object.fromEntries(pairsOf(query)) });

const pairsOf = (query) => (query ? query.split("&").map((pair) => pair.split("=").map(decoded)) : []);

/** Decode a text, or return it as it is, as anyone can write an invalid address. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The suite of a key, with those of the settings that belong to a whole run. A report has all tests of such a group, or none. */
function groupOf(key, query, settings) {
  const runSettings = query.split("&").filter((pair) => settings.includes(decoded(pair.split("=")[0])));
  return key.split("/")[0] + (query && runSettings.length ? `?${runSettings.join("&")}` : "");
}

/** The course of a test with each of its settings: parts, each with an outcome, its first report and its time span; times in milliseconds. */
export function coursesOf(index, key, test, settings) {
  return Object.entries(test).map(([query, steps]) => {
    const lastReport = index.last[groupOf(key, query, settings)] ?? index.reports.length - 1;
    const parts = steps.map(([number, outcome, stage], position) => ({
      outcome,
      stage,
      number,
      from: timeOf(index, number),
      until: timeOf(index, steps[position + 1]?.[0] ?? Math.max(lastReport, number)),
    }));
    return { words: settingsWords(query), parts };
  });
}

const timeOf = (index, number) => Date.parse(index.reports[number].started);

/** The time span of a picture: from the first report to the last, at least a day. */
export function spanOf(index) {
  const first = timeOf(index, 0);
  return { first, last: Math.max(timeOf(index, index.reports.length - 1), first + DAY_MS) };
}

/** "passed since 2026-03-01, 7 changes"; `wordsOf` returns the words of an outcome */
export function courseWords({ parts }, reports, wordsOf) {
  const newestPart = parts.at(-1);
  const changes = parts.length - 1;
  const day = reports[newestPart.number].started.slice(0, 10);
  const outcomeWords = newestPart.outcome ? wordsOf(newestPart.outcome) : "gone";
  const since = changes ? `since ${day}` : `since the first report, ${day}`;
  return `${outcomeWords} ${since}, ${counted(changes, "change")}`;
}

/** All changes with all settings, the newest first, each with its report and the report before that. */
export function changesOf(courses, reports) {
  const changes = courses.flatMap(({ words, parts }) =>
    parts.map((part, index) => ({ ...part, words, before: index ? parts[index - 1].outcome : undefined, report: reports[part.number], earlier: reports[part.number - 1] })),
  );
  return changes.sort((first, second) => second.number - first.number);
}

/** A link below `root` to the commits between two reports, or to the commit of the later one; null if that names none. */
export function commitsOf(earlier, report, root) {
  if (!report.repository || !report.commit) return null;
  const base = `${root}${report.repository}`;
  const hasBoth = earlier?.repository === report.repository && earlier.commit && earlier.commit !== report.commit;
  const short = (commit) => commit.slice(0, 9);
  if (!hasBoth) return { href: `${base}/commit/${report.commit}`, text: short(report.commit) };
  return { href: `${base}/compare/${earlier.commit}...${report.commit}`, text: `${short(earlier.commit)}…${short(report.commit)}` };
}
