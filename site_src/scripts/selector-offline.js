// Writes the commands for a machine without network access, as src/accelerator_portal/site/commands_table.py does.

const INSTALL = " -m pip install ";

/** The commands to run with network access, then without it; null if not all lines are pip commands, or one has the URL of a wheel. */
export function offlineLines({ method, commands }) {
  const lines = commands.split("\n").filter((line) => !line.startsWith("source ")); // activates an environment, which is not needed here
  if (method !== "pip" || !lines.every((line) => line.includes(INSTALL) && !line.includes(".whl"))) return null;
  const [python] = lines[0].split(INSTALL);
  const pipArguments = lines.flatMap((line) => line.split(INSTALL)[1].replace(/ (?:--(?:extra-)?index-url|-f) \S+/g, "").split(" "));
  return {
    download: lines.map((line, n) => line.replace(INSTALL, ` -m pip download --dest wheels ${n > 0 ? "--find-links wheels " : ""}`)).join("\n"),
    install: `${python} -m pip install --no-index --find-links wheels ${[...new Set(pipArguments)].join(" ")}`,
  };
}
