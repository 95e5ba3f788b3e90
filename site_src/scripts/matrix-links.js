// Makes each result of a table a link to its evidence. Without scripts only failures are links, because only they are on pages.

export function linkResults(table) {
  const columns = table.tHead.rows[1].cells;
  for (const row of table.tBodies[0].rows) {
    const address = row.cells[0].firstElementChild.getAttribute("href");
    for (const cell of [...row.cells].slice(1)) {
      const sign = cell.firstElementChild;
      if (!sign || sign.matches(".outcome--none")) continue;
      const { evidence, title, expected } = columns[cell.cellIndex].dataset;
      const label = sign.getAttribute("aria-label");
      const anchor = sign.localName === "a" ? sign : document.createElement("a");
      if (anchor !== sign) {
        anchor.className = sign.className;
        anchor.setAttribute("aria-label", label);
        anchor.textContent = sign.textContent;
        anchor.href = address + evidence;
        sign.replaceWith(anchor);
      }
      anchor.title = `${title}: ${label}${expected === undefined ? "" : ", not run"}`;
    }
  }
}
