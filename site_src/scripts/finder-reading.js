// Reads the text that a reader typed or pasted: finds names of hardware and values of the selector's settings in it.

import { escaped, longestFirst } from "./finder-names.js";

export const MOST_CHARACTERS = 20_000;

const MOST_NAMES = 60;
const LONGEST_NAME = 160;
const LONGEST_TYPED = 160; // a longer text counts as pasted

const NO_GPU = /\b(?:no|without(?: an?)?|don'?t have an?) (?:dedicated |discrete |nvidia |amd |intel )?(?:gpu|graphics(?: card)?|video card|accelerator|card)\b|\bcpu[- ]only\b|\bonly (?:an? |the |my )?cpu\b|\bjust (?:an? |the |my )?cpu\b|^\s*none\s*$/i;
const DRIVER = /\b(?:nvidia )?driver(?:[ _]version)?\s*[:=]?\s*v?(\d{3}(?:\.\d{1,4}){0,3})\b/i;
const PYTHON_TAG = /\b(?:py|cp|python)3(\d{1,2}t?)\b/gi; // "cp312"
const SMI_HEADER = /\bnvidia-smi +[\d.]+|\bCUDA Version *: *[\d.]+|\|/gi; // of nvidia-smi; its CUDA version is the newest that the driver supports, not the installed toolkit
const CARD_COUNT = /\b(?:two|three|four|six|eight|dual|[2-9] ?x?) +((?:[a-z]+ )?[a-z]?\d{3,4})s\b/i; // "two 3090s"
const STRUCTURED_DATA = /^[{[<]|^\w{1,20}\s*[:=]\s*\d+$/; // JSON, markup, "a: 1080"
const LSPCI = /^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.\d /m;

/** Reads queries; `words` is the table of data/finder.yaml, `platforms` are the prepared platforms of `Cards`. */
export class Reader {
  constructor(words, platforms) {
    this.choices = words.choices.map((choice) => ({ ...choice, pattern: wordPattern(choice.words) }));
    this.notebooks = (words.notebooks ?? []).map((notebook) => ({ ...notebook, pattern: wordPattern(notebook.words) }));
    this.labeled = new RegExp(`(?:^|[\\s\\]|])(?:${longestFirst(words.labels).map(escaped).join("|")})s?(?: ?\\[?\\d+\\]?)?"?(?:\\s*[:=]\\s*|\\s{3,}|\\t)(\\S.*)$`, "i");
    this.systems = Object.entries(words.systems);
    this.tools = toolsOf(platforms.map(({ platform }) => platform));
    this.toolkits = platforms.filter(({ isCpu }) => !isCpu).flatMap(({ platform }) => {
      const name = /^[A-Za-z]{3,}$/.exec(platform.name)?.[0];
      const pattern = name && new RegExp(`\\b${name}(?: toolkit)?(?: version)?\\s*[:=]?\\s*v?(\\d{1,2}\\.\\d{1,2}|\\d{2})(?:\\.\\d+)*\\b`, "i");
      return pattern ? [{ platform, pattern }] : [];
    });
    this.software = platforms.flatMap(({ platform }) => [...new Set((platform.fits ?? []).flatMap(({ software }) => Object.keys(software)))].map((name) => ({ platform, name, pattern: softwarePattern(name) })));
    this.pci = (words.pci?.vendors ?? []).flatMap(({ vendor, maker, names }) => Object.entries(names).flatMap(([name, ids]) => ids.map((id) => ({ vendor, maker, id, name }))));
    this.nvidia = platforms.find(({ platform }) => platform.vendor === "NVIDIA")?.platform;
  }

  /** Returns whether a text names a PyTorch release, such as "PyTorch 2.7", and nothing else. */
  namesOnlyARelease(text) {
    const { release, names, pasted } = this.read(text);
    return !pasted && release !== null && names[0]?.text === "";
  }

  /** Returns the service for notebooks that a typed text names, and the `rest` of the text; undefined if it names none. */
  notebookIn(text) {
    if (isPasted(text)) return undefined;
    const notebook = this.notebooks.find(({ pattern }) => text.search(pattern) >= 0);
    return notebook && { ...notebook, rest: text.replace(notebook.pattern, " ").trim() };
  }

  /** Returns the cards that a text names by PCI ID, such as "0x744c", "1002:744c" or "Device 744c", in lspci's format, one a line; "" if none. */
  cardsByPciId(text) {
    const matches = text.slice(0, MOST_CHARACTERS).matchAll(/(?:\b(1002|10de|8086)[:\s]+(?:0x)?|\bVEN_(1002|10de|8086)&DEV_|\b0x|\bDevice )([0-9a-f]{4})\b/gi);
    const pciIds = [...matches].map(([, colonVendor, windowsVendor, id]) => ({ vendor: (colonVendor ?? windowsVendor)?.toLowerCase(), id: id.toLowerCase() }));
    const namedVendor = this.pci.find((card) => new RegExp(`\\b${card.maker}\\b`, "i").test(text))?.vendor;
    const cards = pciIds.flatMap(({ vendor, id }) => this.pci.filter((card) => card.id === id && card.vendor === (vendor ?? namedVendor ?? card.vendor)));
    return [...new Set(cards.map(({ name, maker: vendor }) => `00:00.0 Display controller: ${vendor} [${name}]`))].join("\n");
  }

  /**
   * Returns what a text says: `names`, the possible names of hardware, the most reliable first (`strict`: the name must
   * match without unknown words beside it); `platforms`, ids; `cpuOnly`; `pasted`; and settings, each null if the text
   * does not state it.
   */
  read(text) {
    const limited = text.slice(0, MOST_CHARACTERS).replace(/\r\n?/g, "\n").trim();
    const pasted = isPasted(limited);
    const facts = { names: [], platforms: new Set(), driver: null, toolkit: null, software: null, os: null, isOfComputer: false, arch: null, method: null, release: null, python: null, versions: {}, page: null, system: null, pasted, cpuOnly: false };
    if (!pasted && NO_GPU.test(limited)) return { ...facts, cpuOnly: true };
    facts.driver = DRIVER.exec(limited)?.[1] ?? null;
    if (pasted) return this.#readPasted(limited, facts);
    return this.#readTyped(limited, facts);
  }

  /** Adds what a typed text says to `facts`, and returns them. */
  #readTyped(text, facts) {
    text = text.replace(PYTHON_TAG, "python 3.$1");
    let remaining = this.#readSoftware((facts.driver ? text.replace(SMI_HEADER, " ") : text).replace(DRIVER, " ").replace(CARD_COUNT, "$1"), facts);
    remaining = facts.software ? remaining : this.#readToolkit(remaining, facts);
    if (facts.driver && this.nvidia) facts.platforms.add(this.nvidia.id);
    remaining = this.#readChoices(remaining, facts);
    if (/\bwsl ?2?\b/i.test(text)) facts.os = "linux"; // "Windows 11 WSL2"
    const labeledName = /name=(["'])(.+?)\1/.exec(remaining)?.[2] ?? this.#afterLabel(remaining);
    facts.names = [...(labeledName ? namesIn(labeledName) : [remaining]), text].map((name) => ({ text: name, strict: false }));
    return facts;
  }

  /** Adds what a pasted text, such as the output of a tool, says to `facts`, and returns them. */
  #readPasted(text, facts) {
    const lowerText = text.toLowerCase();
    for (const [pattern, { platforms, systems }] of this.tools) {
      if (!pattern.test(lowerText)) continue;
      platforms.forEach((platform) => facts.platforms.add(platform));
      if (systems.size === 1) [facts.os] = systems;
    }
    if (facts.driver && this.nvidia) facts.platforms.add(this.nvidia.id);
    if (facts.platforms.size === 0) this.#readSoftware(text, facts); // such as the output of pip list
    const system = this.systems.find(([, marks]) => marks.some((mark) => text.includes(mark)))?.[0];
    facts.os = system ?? (LSPCI.test(text) ? "linux" : facts.os);
    const lines = text.replace(/[│┃]/g, "|").split("\n").filter((line) => line.trim() !== "");
    const architectures = [];
    for (const line of lines.filter((candidate) => /^\s*(?:os|operating system|architecture)\b[^:]*:|^PRETTY_NAME=/i.test(candidate))) {
      const otherArch = /^\s*architecture:\s*(\w+)$/i.exec(this.#readChoices(line, facts)); // "s390x", which is not in the selector
      if (otherArch) architectures.push(otherArch[1]);
    }
    const labeledNames = lines.flatMap((line) => this.#afterLabel(line.replace(/[|\s]+$/, "")) ?? []);
    const isToolOutput = facts.platforms.size > 0;
    const namesInBoxes = lines.filter((line) => line.includes("|")).flatMap(namesInRow);
    const linePieces = lines.flatMap((line) => [line, ...line.split(/["',;]|\s{2,}/)]);
    const cleanNames = (names, strict) => [...new Set(names.flatMap(namesIn))].filter((name) => /[\p{Letter}\d]{2}/u.test(name)).slice(0, MOST_NAMES).map((name) => ({ text: name.slice(0, LONGEST_NAME), strict }));
    facts.names = [...cleanNames([...labeledNames, ...architectures, ...(isToolOutput ? namesInBoxes : [])], false), ...cleanNames([...namesInBoxes, ...linePieces], true)];
    return facts;
  }

  /** Returns the text after a label such as "Model name:"; undefined if the line has no label. */
  #afterLabel(line) {
    const value = this.labeled.exec(line.replace(/(?<=\S )CPU {2,}(?=\S)/g, "CPU "))?.[1]; // "Core(TM)2 Duo CPU     E8400"
    return value && (this.#afterLabel(value) ?? value);
  }

  /** Adds the selector's settings that a text names to `facts`; returns the text without them. */
  #readChoices(text, facts) {
    let remaining = text;
    for (const { pattern, os, system, arch, method, build, release, python, requirement, version: fixedVersion, page, kept } of this.choices) {
      remaining = remaining.replace(pattern, (words, version = fixedVersion) => {
        if (version && requirement) facts.versions[requirement] = version;
        if (python && /\d\.\d/.test(version)) facts.python = /\d+\.\d+t?/.exec(version)[0];
        if (version && release) facts.release = version;
        else if (build && facts.release === null) facts.release = build;
        facts.isOfComputer ||= Boolean(kept) && facts.os === null; // "M2 Mac mini" says nothing about another card
        facts.os ??= os ?? system ?? null;
        facts.page ??= page ?? null;
        if (version && os && !requirement) facts.system ??= systemIn(words);
        facts.arch ??= arch ?? null;
        facts.method ??= method ?? null;
        return kept ? words : " ";
      });
    }
    return remaining.trim();
  }

  /** Adds versions of a plugin or its dependencies ("CANN 8.0.0", "torch_npu 2.4.0") to `facts`; returns the text without them. */
  #readSoftware(text, facts) {
    let remaining = text;
    for (const { platform, name, pattern } of this.software) {
      const match = pattern.exec(remaining);
      if (!match || (facts.software && facts.software.platform !== platform.id)) continue;
      facts.software ??= { platform: platform.id, versions: {} };
      facts.software.versions[name] = match[1].toLowerCase();
      facts.platforms.add(platform.id);
      remaining = remaining.replace(match[0], " ");
    }
    return remaining;
  }

  /** Adds the version of a platform's toolkit ("CUDA 12.4", "ROCm 6.2", "cu124") to `facts`; returns the text without it. */
  #readToolkit(text, facts) {
    const tag = /\+?\bcu(\d{2})(\d)\b/i.exec(text);
    const expanded = tag ? text.replace(tag[0], ` CUDA ${tag[1]}.${tag[2]} `) : text;
    for (const { platform, pattern } of this.toolkits) {
      const match = pattern.exec(expanded);
      if (!match) continue;
      facts.toolkit = { platform: platform.id, version: match[1], text: match[0] };
      facts.platforms.add(platform.id);
      return expanded.replace(match[0], " ");
    }
    return text;
  }
}

/** Returns whether a text looks like the output of a tool. */
function isPasted(text) {
  return text.includes("\n") || text.length > LONGEST_TYPED || STRUCTURED_DATA.test(text) || LSPCI.test(text);
}

/** Returns `{ text, name, version }` of a system with its version, such as "Ubuntu 22.04"; null if there is no version. */
function systemIn(words) {
  const [text, name, version] = /^([\p{Letter}][\p{Letter} ]*?)[\s=:_v-]*(\d+(?:\.\d+)*)/u.exec(words.trim()) ?? [];
  return text ? { text, name: name.toLowerCase(), version } : null;
}

/** Returns a pattern that matches one of the words and captures the version after it, if any. */
function wordPattern(words) {
  const alternatives = longestFirst(words).map((word) => escaped(word).replaceAll(" ", "[\\s_-]?"));
  return new RegExp(`(?<![\\p{Letter}\\d])(?:${alternatives.join("|")})(?:[\\s=:_v-]{0,3}(\\d{1,2}(?:\\.\\d{1,4})*t?))?(?: (?:lts|pro|home|enterprise))?(?![\\p{Letter}\\d])(?!\\.\\d)`, "giu");
}

/** Returns a pattern for a name such as "torch-npu" or "Intel Gaudi software" with a version: "torch_npu==2.4.0", "Gaudi 1.20". */
function softwarePattern(name) {
  const [, maker = "", product] = /^(Intel )?(.*?)(?: SDK| software)?$/.exec(name);
  const words = product.split(/[-_ ]/).map(escaped).join("[-_ ]?");
  return new RegExp(`(?<![\\p{Letter}\\d])(?:${maker})?${words}(?: sdk| software| toolkit)?(?: version)?\\s*[:=_-]{0,2}\\s*v?(\\d+(?:\\.(?:\\d+|(?:rc|post)\\d+))+)(?![\\p{Letter}\\d])`, "iu");
}

/** Returns the tools that print a machine's hardware: [pattern of their output, `platforms` and `systems` that have the tool]. */
function toolsOf(platforms) {
  const tools = new Map();
  for (const { id, identify } of platforms) {
    for (const { command, os } of identify) {
      const name = /^(?:sudo )?(?:\S*\/)?([a-z][a-z_-]+)/i.exec(command)?.[1].toLowerCase() ?? "";
      if (/^(python3?|curl|lsmod|gwmi|lspci|)$/.test(name)) continue;
      const tool = tools.get(name) ?? { platforms: new Set(), systems: new Set() };
      tool.platforms.add(id);
      tool.systems.add(os);
      tools.set(name, tool);
    }
  }
  const outputPattern = (name) => (name === "rocm-smi" ? /rocm[- ](?:smi|system management)/ : new RegExp(`(?:^|[^a-z])${name.replace(/[-_]/g, "[-_ ]")}(?![a-z])`));
  return [...tools].map(([name, tool]) => [outputPattern(name), tool]);
}

/** Returns the first device name in a row of a tool's table, without the device's number and state, as a list of at most one. */
function namesInRow(line) {
  const withoutState = (cell) => cell.trim().replace(/^[0-9a-f]{4}:[0-9a-f:.]+\s+/, "").replace(/^\d+\s+(?:\/\s+)?(?=\S)/, "").replace(/\s{2,}.*$/, "").replace(/\s+(?:On|Off|N\/A|WDDM|TCC|MCDM)$/, "");
  const isName = (cell) => /[a-z]/i.test(cell) && /\d/.test(cell) && !/^[0-9a-f]{4,8}:|%|\bSMI\b|Version|MiB|\/\s*\d|^\S+:\s*$/i.test(cell);
  return line.trim().replace(/^\|/, "").split("|").slice(0, 3).map(withoutState).filter(isName).slice(0, 1);
}

/** Returns the names in "Navi 31 [Radeon RX 7900 XT/7900 XTX]": those in brackets, if any, split at slashes. */
function namesIn(name) {
  const bracketedNames = [...name.matchAll(/\[([^[\]]{4,})\]/g)].map(([, inside]) => inside).filter((inside) => !/^AMD\/ATI$|^[0-9a-f]{4}(?::[0-9a-f]{4})?$|controller|^(?:discrete|integrated)$/i.test(inside));
  const candidates = bracketedNames.length > 0 ? bracketedNames : [name.replace(/\[[0-9a-f]{4}(?::[0-9a-f]{4})?\]/g, " ").replace(/\((?!R\)|TM\)|C\)).*$| OpenCL \d.*$/i, "")];
  return candidates.flatMap((candidate) => {
    const alternatives = candidate.split(/\s*\/\s*/);
    return alternatives.length > 1 && alternatives.every((alternative) => /\d/.test(alternative)) ? alternatives : [candidate];
  });
}
