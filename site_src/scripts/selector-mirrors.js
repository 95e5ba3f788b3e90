// Replaces package indexes in commands by the mirrors that the reader selected; data/releases.yaml lists the mirrors.

const INSTALL_COMMAND = /^(\S+ -m|uv) pip install /;
const OTHER_INDEX = / --(index-url|torch-backend)\b/;

/** Show the mirrors of each index that the row's commands use, and return the commands with the selected mirrors. */
export function mirrored(form, row, wishes) {
  let lines = row?.commands.split("\n") ?? [];
  for (const box of form.querySelectorAll("[data-index]")) {
    const { copied } = box.dataset; // the URL of the index that is replaced; commands do not have that of PyPI
    const isUsed = (line) => INSTALL_COMMAND.test(line) && (copied ? line.includes(copied) : !OTHER_INDEX.test(line));
    const select = box.querySelector("select");
    select.value = wishes.get(select.name) ?? "";
    box.hidden = !["pip", "uv"].includes(row?.method) || !lines.some(isUsed);
    const url = !box.hidden && select.selectedOptions[0]?.dataset.url;
    const withMirror = (line) => (copied ? line.replaceAll(copied, url) : `${line} --index-url ${url}`);
    if (url) lines = lines.map((line) => (isUsed(line) ? withMirror(line) : line));
  }
  return lines.join("\n");
}
