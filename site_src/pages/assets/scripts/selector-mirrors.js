// Mirrors that the reader selected in place of an index, as data/releases.yaml lists them.

const PYTORCH = "https://download.pytorch.org/whl";
const INSTALL = /^(\S+ -m|uv) pip install /;

const INDEXES = {
  pypi: {
    isUsed: (line) => INSTALL.test(line) && !/ --(index-url|torch-backend)\b/.test(line),
    replaced: (line, url) => `${line} --index-url ${url}`,
  },
  pytorch: {
    isUsed: (line) => INSTALL.test(line) && line.includes(PYTORCH),
    replaced: (line, url) => line.replaceAll(PYTORCH, url),
  },
};

/** Offer the mirrors of the indexes that commands use; return the commands with those that the reader selected. */
export function mirrored(form, row, wishes) {
  let lines = row?.commands.split("\n") ?? [];
  for (const box of form.querySelectorAll("[data-index]")) {
    const { isUsed, replaced } = INDEXES[box.dataset.index];
    const select = box.querySelector("select");
    select.value = wishes.get(select.name) ?? "";
    box.hidden = !["pip", "uv"].includes(row?.method) || !lines.some(isUsed);
    const url = !box.hidden && select.selectedOptions[0]?.dataset.url;
    if (url) lines = lines.map((line) => (isUsed(line) ? replaced(line, url) : line));
  }
  return lines.join("\n");
}
