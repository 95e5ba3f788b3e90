// What stands in the text that a reader typed or pasted: names of hardware, a driver, a toolkit, the tool that printed it.

export const MOST_CHARACTERS = 20_000;

const MOST_NAMES = 24;
const LONGEST_NAME = 160;
const TYPED = 160; // a longer text is a pasted one

const NO_GPU = /\b(?:no|without(?: an?)?|don'?t have an?) (?:dedicated |discrete |nvidia |amd |intel )?(?:gpu|graphics(?: card)?|video card|accelerator|card)\b|\bcpu[- ]only\b|\bonly (?:an? |the |my )?cpu\b|\bjust (?:an? |the |my )?cpu\b|^\s*none\s*$/i;
const DRIVER = /\b(?:nvidia )?driver(?:[ _]version)?\s*[:=]?\s*v?(\d{3}(?:\.\d{1,4}){0,3})\b/i;

// Where tools print a name; each takes it from one line.
const PRINTED = [
  /^\s*Chipset Model:\s*(.+)$/, // system_profiler
  /^\s*GPU \d+:\s*(.+?)\s*\(UUID/, // nvidia-smi -L
  /\bDevice Name:\s*([^|]+)/, // xpu-smi discovery
  /\b(?:Card [Ss]eries|Card [Mm]odel|GFX Version|Product Name|MARKET_NAME|TARGET_GRAPHICS_VERSION|Device Name)\s*:\s*(.+)$/, // rocm-smi, amd-smi
  /^\s*Name:\s+(gfx\w+)/, // rocminfo
  /^\s*Marketing Name:\s+(\S.*)$/,
  /(?:VGA compatible controller|3D controller|Display controller|Processing accelerators|Co-processor|VGA controller)(?: \[\w{4}\])?:\s*(.+)$/, // lspci
  /^\s*Model name:\s*(.+)$/, // lscpu
];

// What a reader adds to a name and the selector has as a choice of its own, and what adds nothing.
const SAID = [
  [/\b(?:windows|win)(?: ?1[01]| pc)?\b/i, { os: "windows" }],
  [/\b(?:ubuntu|debian|fedora|rhel|red hat|rocky|almalinux|centos|arch linux|manjaro|opensuse|linux)(?: ?\d{1,2}(?:\.\d{1,2})?)?(?: lts)?\b|\bwsl ?2?\b/i, { os: "linux" }],
  [/\bmac ?os\b/i, { os: "macos" }],
  [/\b(?:aarch64|arm ?64|arm)\b/i, { arch: "aarch64" }],
  [/\b(?:x86[-_]?64|amd64)\b/i, { arch: "x86_64" }],
  [/\bpip3?\b/i, { method: "pip" }],
  [/\b(conda|docker|uv|libtorch)\b/i, {}],
  [/\b(?:py)?torch(?: ?v?(\d\.\d{1,2}(?:\.\d{1,2})?))?\b/i, {}],
  [/\bpython ?3?(?:\.\d{1,2})?\b|\b(?:install(?:ation)?|how to)\b/i, {}],
];

/** `names` of hardware in the text, and what else it tells. `tools` are those that identify the platforms. */
export function reading(text, tools, platforms) {
  const bounded = text.slice(0, MOST_CHARACTERS).replace(/\r\n?/g, "\n");
  const pasted = bounded.trim().includes("\n") || bounded.length > TYPED;
  const printed = pasted || PRINTED.some((pattern) => pattern.test(bounded.trim()));
  const found = { names: [], platforms: new Set(), driver: null, toolkit: null, os: null, pasted, printed, truncated: false, cpuOnly: false, arch: null, method: null, release: null };
  let rest = bounded;
  if (!pasted && NO_GPU.test(rest)) return { ...found, cpuOnly: true };
  found.driver = DRIVER.exec(rest)?.[1] ?? null;
  if (pasted) readTool(rest, tools, found);
  else rest = rest.replace(DRIVER, " ");
  readToolkit(rest, platforms, found);
  if (!pasted && found.toolkit) rest = rest.replace(found.toolkit.text, " ");
  if (!pasted) rest = readChoices(rest, found);
  if (found.driver) addPlatform(found, "nvidia", platforms);
  found.names = pasted ? printedNames(rest, found) : [rest.trim()].filter(Boolean);
  if (found.names.some((name) => /\.\.\.\s*$/.test(name))) found.truncated = true;
  return found;
}

/** The tool that printed the text: the platforms it identifies, and the system it runs on. */
function readTool(text, tools, found) {
  const head = text.toLowerCase();
  for (const [name, { platforms, systems }] of tools) {
    const printed = name === "rocm-smi" ? /rocm[- ](?:smi|system management)/ : new RegExp(`(?:^|[^a-z])${name.replace(/[-_]/g, "[-_ ]")}(?![a-z])`);
    if (!printed.test(head)) continue;
    for (const platform of platforms) found.platforms.add(platform);
    if (systems.size === 1) [found.os] = systems;
  }
  if (/\b(?:HSA Agents|ROCk module)\b/.test(text)) found.os = "linux";
  if (/\bChipset Model:/.test(text)) found.os = "macos";
  if (/\b(?:WDDM|MCDM|TCC)\b/.test(text)) found.os = "windows";
  if (/^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.\d /m.test(text)) found.os = "linux"; // lspci
}

/** The text without what names a choice of the selector; all of it, if nothing else names hardware. */
function readChoices(text, found) {
  const said = {};
  let rest = text;
  for (const [pattern, choice] of SAID) {
    const match = pattern.exec(rest);
    if (!match) continue;
    Object.assign(said, choice);
    if (/^\d/.test(match[1] ?? "")) said.release = match[1];
    else if (match[1]) said.method = match[1].toLowerCase();
    rest = rest.replace(pattern, " ");
  }
  if (!/[\p{Letter}\p{Number}]{2}/u.test(rest) || (said.arch && !/\d|[^\P{Letter}A-Za-z]/u.test(rest))) return text;
  Object.assign(found, said);
  return rest.replace(/\s(?:on|for|with|in|and)\s*$/i, "");
}

/** "CUDA 12.4", "ROCm 6.2", "CUDA 13": the version of a platform's toolkit, where the text is not nvidia-smi's own. */
function readToolkit(text, platforms, found) {
  if (found.driver) return;
  for (const { platform } of platforms) {
    const name = /^[A-Za-z]{3,}$/.exec(platform.name)?.[0];
    const stated = name && new RegExp(`\\b${name}(?: toolkit)?(?: version)?\\s*:?\\s*v?(\\d{1,2}\\.\\d{1,2}|\\d{2})(?:\\.\\d+)*\\b`, "i").exec(text);
    if (!stated) continue;
    found.toolkit = { platform: platform.id, version: stated[1], text: stated[0] };
    found.platforms.add(platform.id);
    return;
  }
}

function addPlatform(found, vendor, platforms) {
  for (const { platform } of platforms) {
    if (platform.vendor.toLowerCase() === vendor && platform.integration === "in-tree") found.platforms.add(platform.id);
  }
}

/** Names in a pasted text: what known tools print; else the cells and lines themselves. */
function printedNames(text, found) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const printed = lines.flatMap((line) => PRINTED.flatMap((pattern) => pattern.exec(line.replace(/[|\s]+$/, ""))?.[1] ?? []));
  const boxed = found.platforms.size > 0 ? lines.filter((line) => /^\s*\|/.test(line)).flatMap(cells) : [];
  const all = [...printed, ...boxed];
  const names = all.length > 0 ? all : lines;
  const clean = names.flatMap(parts).map((name) => name.trim().slice(0, LONGEST_NAME)).filter((name) => /[\p{Letter}\d]{2}/u.test(name));
  const distinct = [...new Set(clean)];
  // What a GPU's runtime calls its target says most: gfx1100 before the marketing name of a processor.
  return [...distinct.filter((name) => /^gfx/.test(name)), ...distinct.filter((name) => !/^gfx/.test(name))].slice(0, MOST_NAMES);
}

/** The first cells of a row of a table in a terminal, without the number of the device and the states behind the name. */
function cells(line) {
  const [first = "", second = ""] = line.trim().replace(/^\|/, "").split("|");
  const name = (cell) => cell.trim().replace(/^\d+\s+(?=\S)/, "").replace(/\s{2,}.*$/, "").replace(/\s+(?:On|Off|N\/A|WDDM|TCC|MCDM)$/, "");
  const isName = (cell) => /[a-z]/i.test(cell) && /\d/.test(cell) && !/^[0-9a-f]{4,8}:|%|\bSMI\b|Version|MiB|\/\s*\d|^\S+:\s*$/i.test(cell);
  return [name(first), name(second)].filter(isName).slice(0, 1);
}

/** "Navi 31 [Radeon RX 7900 XT/7900 XTX]": what stands in brackets is the name, each of several its own. */
function parts(name) {
  const bracketed = [...name.matchAll(/\[([^\]]{4,})\]/g)].map(([, inside]) => inside).filter((inside) => !/^AMD\/ATI$|^[0-9a-f]{4}:[0-9a-f]{4}$/i.test(inside));
  if (bracketed.length === 0) return [name.replace(/\(rev.*$/, "")];
  return bracketed.flatMap((inside) => inside.split(/\s*\/\s*/)).filter((part) => /\d/.test(part) || bracketed.length === 1);
}
