// Creates the elements that the pages of test results share. Names come from vendors, so they are inserted as text, never as markup.

import { addressOf, folderOf } from "./compare-reports-model.js";
import { element, link } from "./elements.js";

/** Returns a map from outcome to the item of the page's hidden list that has its sign and facts about it. */
export function signsOf(article) {
  const items = [...article.querySelectorAll("[data-part=signs] [data-outcome]")];
  return new Map(items.map((item) => [item.dataset.outcome, item]));
}

/** Returns the sign of an outcome and its words as a list; in a baseline an outcome is expected, not run. */
export function outcomeParts(outcome, signs, isExpected = false) {
  const item = signs.get(outcome);
  const sign = item?.firstElementChild.cloneNode(true) ?? "";
  if (sign && isExpected) sign.classList.add("is-expected");
  return [sign, ` ${outcomeWords(outcome, signs, isExpected)}`];
}

/** Returns the words of an outcome, in a run or in a baseline. */
export function outcomeWords(outcome, signs, isExpected = false) {
  const { words = outcome, expected = outcome } = signs.get(outcome)?.dataset ?? {};
  return isExpected ? expected : words;
}

/** Returns a link to a test; it leads to the tests of the suite until the test's address is computed. */
export function testLink(test, results) {
  const anchor = link(`${results}${folderOf(test.suite)}/tests/`, `${test.suite}/${test.name}`);
  addressOf(test).then((address) => (anchor.href = results + address));
  return anchor;
}

/** Returns a link to another site; if the address is not a web address, only the text. */
export function externalLink(address, text) {
  if (!/^https?:\/\//.test(address)) return text;
  const anchor = link(address, text);
  anchor.rel = "nofollow noopener noreferrer";
  return anchor;
}

/** Returns a table in a box that scrolls; cells are texts or nodes. */
export function scrollingTable(title, columns, rows, tableClass = "") {
  const box = element("div", "table-box");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", title);
  const table = element("table", `data ${tableClass}`.trim());
  const headRow = table.createTHead().insertRow();
  for (const column of columns) {
    const cell = element("th", "", column);
    cell.scope = "col";
    headRow.append(cell);
  }
  const body = table.createTBody();
  for (const row of rows) {
    const tableRow = body.insertRow();
    for (const value of row) tableRow.insertCell().append(...[value].flat());
  }
  box.append(table);
  return box;
}
