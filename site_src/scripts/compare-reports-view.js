// Draws the differences between two reports. Names come from vendors, so they are inserted as text, never as markup.

import { settingsOf } from "./compare-reports-model.js";
import { element } from "./elements.js";
import { number } from "./numbers.js";
import { outcomeParts, scrollingTable, testLink } from "./result-elements.js";

const MOST_ROWS = 300; // rows of one kind of difference

const NOT_STATED = "not stated";

/** Returns a heading and the elements below it as a fragment. */
export function section(title, ...parts) {
  const fragment = document.createDocumentFragment();
  fragment.append(element("h2", "", title), ...parts);
  return fragment;
}

/** Returns a paragraph with a text. */
export function paragraph(text, className = "") {
  return element("p", className, text);
}

/** Returns a table of [name, first, second]; `titles` are the titles of the two columns with values. */
export function environmentTable(differences, titles) {
  const rows = differences.map(([name, first, second]) => [name, first ?? NOT_STATED, second ?? NOT_STATED]);
  return tableOf("Differences between the environments", ["", ...titles], rows);
}

/** Returns a table with the number of differences of each kind in each suite; `words` maps each kind to its title. */
export function countsTable(diff, words) {
  const kinds = Object.keys(words);
  const counts = new Map([...diff.unchanged.keys()].sort().map((suite) => [suite, Object.fromEntries(kinds.map((kind) => [kind, 0]))]));
  for (const { kind, test } of diff.differences) counts.get(test.suite)[kind] += 1;
  const rows = [...counts].map(([suite, byKind]) => [suite, ...Object.values(byKind).map(number), number(diff.unchanged.get(suite))]);
  return tableOf("Differences by suite", ["Suite", ...kinds.map((kind) => words[kind]), "Unchanged"], rows);
}

/** Returns the section with the tests of one kind of difference; a note tells if the table does not list all. */
export function differenceList(title, differences, signs, results, kinds) {
  const parts = [];
  if (differences.length > MOST_ROWS) {
    const cutNote = `The table lists the first ${number(MOST_ROWS)} of ${number(differences.length)} tests.`;
    parts.push(paragraph(`${cutNote} The command below lists all with --limit ${differences.length}.`));
  }
  const rows = differences.slice(0, MOST_ROWS).map(({ test, first, second }) => [
    testLink(test, results),
    settingsOf(test),
    first ? outcomeParts(first, signs, kinds[0] === "baseline") : "",
    second ? outcomeParts(second, signs, kinds[1] === "baseline") : "",
  ]);
  parts.push(tableOf(title, ["Test", "Settings", "First report", "Second report"], rows));
  return section(`${title} (${number(differences.length)})`, ...parts);
}

/** Returns a table that scrolls in both directions. */
function tableOf(title, columns, rows) {
  const box = scrollingTable(title, columns, rows, "report-differences");
  box.classList.add("tall-box");
  return box;
}
