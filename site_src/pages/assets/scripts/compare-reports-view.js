// Draws what differs between two reports. Names come from vendors: they are put in as text, never as markup.

import { element, link } from "./elements.js";
import { addressOf, folderOf, settingsOf } from "./compare-reports-model.js";
import { number } from "./matrix-model.js";

const MOST = 300; // rows of one kind of difference

const NOT_STATED = "not stated";

/** A heading, then what belongs to it. */
export function section(title, ...parts) {
  const made = document.createDocumentFragment();
  made.append(element("h2", "", title), ...parts);
  return made;
}

export function paragraph(text, className = "") {
  return element("p", className, text);
}

export function environmentTable(differences, titles) {
  const rows = differences.map(([name, one, other]) => [name, one ?? NOT_STATED, other ?? NOT_STATED]);
  return tableOf("Differences between the environments", ["", ...titles], rows);
}

/** How often each kind of difference is in each suite. */
export function countsTable(found, words) {
  const kinds = Object.keys(words);
  const counts = new Map([...found.unchanged.keys()].sort().map((suite) => [suite, Object.fromEntries(kinds.map((kind) => [kind, 0]))]));
  for (const { kind, test } of found.differences) counts.get(test.suite)[kind] += 1;
  const rows = [...counts].map(([suite, own]) => [suite, ...Object.values(own).map(number), number(found.unchanged.get(suite))]);
  return tableOf("Differences by suite", ["Suite", ...kinds.map((kind) => words[kind]), "Unchanged"], rows);
}

/** The tests of one kind of difference; a long list is cut and says so. */
export function differenceList(title, differences, signs, results) {
  const parts = [];
  if (differences.length > MOST) {
    const shown = `The table lists the first ${number(MOST)} of ${number(differences.length)} tests.`;
    parts.push(paragraph(`${shown} The command below lists all with --limit ${differences.length}.`));
  }
  const rows = differences.slice(0, MOST).map(({ test, first, second }) => [
    testLink(test, results),
    settingsOf(test),
    first ? outcomeOf(first, signs) : "",
    second ? outcomeOf(second, signs) : "",
  ]);
  parts.push(tableOf(title, ["Test", "Settings", "First report", "Second report"], rows));
  return section(`${title} (${number(differences.length)})`, ...parts);
}

function testLink(test, results) {
  const made = link(`${results}${folderOf(test.suite)}/tests/`, `${test.suite}/${test.name}`);
  addressOf(test).then((address) => (made.href = results + address));
  return made;
}

function outcomeOf(outcome, signs) {
  const made = document.createDocumentFragment();
  const sign = signs.get(outcome)?.querySelector(".outcome");
  if (sign) made.append(sign.cloneNode(true));
  made.append(` ${outcome.replaceAll("-", " ")}`);
  return made;
}

/** A table in a box of its own; what is no text yet is put in as it is. */
function tableOf(title, columns, rows) {
  const box = element("div", "table-box tall-box");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", title);
  const table = element("table", "data report-differences");
  const head = table.createTHead().insertRow();
  for (const column of columns) {
    const cell = element("th", "", column);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const value of row) line.insertCell().append(value);
  }
  box.append(table);
  return box;
}
