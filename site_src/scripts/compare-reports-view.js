// Draws the differences between two reports. Names come from vendors, so they are inserted as text, never as markup.

import { element, link } from "./elements.js";
import { addressOf, folderOf, settingsOf } from "./compare-reports-model.js";
import { number } from "./matrix-model.js";

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
export function differenceList(title, differences, signs, results) {
  const parts = [];
  if (differences.length > MOST_ROWS) {
    const cutNote = `The table lists the first ${number(MOST_ROWS)} of ${number(differences.length)} tests.`;
    parts.push(paragraph(`${cutNote} The command below lists all with --limit ${differences.length}.`));
  }
  const rows = differences.slice(0, MOST_ROWS).map(({ test, first, second }) => [
    testLink(test, results),
    settingsOf(test),
    first ? outcomeOf(first, signs) : "",
    second ? outcomeOf(second, signs) : "",
  ]);
  parts.push(tableOf(title, ["Test", "Settings", "First report", "Second report"], rows));
  return section(`${title} (${number(differences.length)})`, ...parts);
}

/** Returns a link to a test; it leads to the tests of the suite until the test's address is computed. */
function testLink(test, results) {
  const anchor = link(`${results}${folderOf(test.suite)}/tests/`, `${test.suite}/${test.name}`);
  addressOf(test).then((address) => (anchor.href = results + address));
  return anchor;
}

/** Returns the sign and the name of an outcome. */
function outcomeOf(outcome, signs) {
  const fragment = document.createDocumentFragment();
  const sign = signs.get(outcome)?.querySelector(".outcome");
  if (sign) fragment.append(sign.cloneNode(true));
  fragment.append(` ${outcome.replaceAll("-", " ")}`);
  return fragment;
}

/** Returns a table in a box that scrolls; cells are texts or nodes. */
function tableOf(title, columns, rows) {
  const box = element("div", "table-box tall-box");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", title);
  const table = element("table", "data report-differences");
  const headRow = table.createTHead().insertRow();
  for (const column of columns) {
    const cell = element("th", "", column);
    cell.scope = "col";
    headRow.append(cell);
  }
  const body = table.createTBody();
  for (const row of rows) {
    const tableRow = body.insertRow();
    for (const value of row) tableRow.insertCell().append(value);
  }
  box.append(table);
  return box;
}
