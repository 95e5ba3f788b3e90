// The commands of a selection for a machine without a network, as src/accelerator_portal/site/platforms/commands_table.py writes them.

const INSTALL = " -m pip install ";

/** What to run with a network and without one; null where something else than pip installs, or an address is named. */
export function offlineLines({ method, commands }) {
  const lines = commands.split("\n").filter((line) => !line.startsWith("source ")); // an environment, which pip does not need
  if (method !== "pip" || !lines.every((line) => line.includes(INSTALL) && !line.includes(".whl"))) return null;
  const [python] = lines[0].split(INSTALL);
  const words = lines.flatMap((line) => line.split(INSTALL)[1].replace(/ (?:--(?:extra-)?index-url|-f) \S+/g, "").split(" "));
  return {
    download: lines.map((line, n) => line.replace(INSTALL, ` -m pip download --dest wheels ${n > 0 ? "--find-links wheels " : ""}`)).join("\n"),
    install: `${python} -m pip install --no-index --find-links wheels ${[...new Set(words)].join(" ")}`,
  };
}
