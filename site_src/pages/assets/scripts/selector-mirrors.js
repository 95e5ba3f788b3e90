// Mirrors that the reader selected in place of an index, as data/releases.yaml lists them.

const INSTALL = /^(\S+ -m|uv) pip install /;
const OTHER_INDEX = / --(index-url|torch-backend)\b/;

/** Offer the mirrors of the indexes that commands use; return the commands with those that the reader selected. */
export function mirrored(form, row, wishes) {
  let lines = row?.commands.split("\n") ?? [];
  for (const box of form.querySelectorAll("[data-index]")) {
    const { copied } = box.dataset; // the address of the index that is copied; PyPI has none in commands
    const isUsed = (line) => INSTALL.test(line) && (copied ? line.includes(copied) : !OTHER_INDEX.test(line));
    const select = box.querySelector("select");
    select.value = wishes.get(select.name) ?? "";
    box.hidden = !["pip", "uv"].includes(row?.method) || !lines.some(isUsed);
    const url = !box.hidden && select.selectedOptions[0]?.dataset.url;
    const replaced = (line) => (copied ? line.replaceAll(copied, url) : `${line} --index-url ${url}`);
    if (url) lines = lines.map((line) => (isUsed(line) ? replaced(line) : line));
  }
  return lines.join("\n");
}
