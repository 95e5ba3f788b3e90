// What stands in the text that a reader typed or pasted: names of hardware, and the choices of the selector beside them.

import { escaped, longestFirst } from "./finder-names.js";

export const MOST_CHARACTERS = 20_000;

const MOST_NAMES = 60;
const LONGEST_NAME = 160;
const TYPED = 160; // a longer text is a pasted one

const NO_GPU = /\b(?:no|without(?: an?)?|don'?t have an?) (?:dedicated |discrete |nvidia |amd |intel )?(?:gpu|graphics(?: card)?|video card|accelerator|card)\b|\bcpu[- ]only\b|\bonly (?:an? |the |my )?cpu\b|\bjust (?:an? |the |my )?cpu\b|^\s*none\s*$/i;
const DRIVER = /\b(?:nvidia )?driver(?:[ _]version)?\s*[:=]?\s*v?(\d{3}(?:\.\d{1,4}){0,3})\b/i;
const PYTHON_TAG = /\b(?:py|cp|python)3(\d{1,2}t?)\b/gi; // "cp312"
const HEADER = /\bnvidia-smi +[\d.]+|\bCUDA Version *: *[\d.]+|\|/gi; // of nvidia-smi; this CUDA version is the newest that the driver runs
const SEVERAL = /\b(?:two|three|four|six|eight|dual|[2-9] ?x?) +((?:[a-z]+ )?[a-z]?\d{3,4})s\b/i; // "two 3090s"
const DATA = /^[{[<]|^\w{1,20}\s*[:=]\s*\d+$/; // JSON, markup, "a: 1080"
const LSPCI = /^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.\d /m;

export class Reader {
  constructor(words, platforms) {
    this.choices = words.choices.map((choice) => ({ ...choice, pattern: wordPattern(choice.words) }));
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

  /** Whether a text says "PyTorch 2.7" and nothing else. */
  namesOnlyARelease(text) {
    const { release, names, pasted } = this.read(text);
    return !pasted && release !== null && names[0]?.text === "";
  }

  /** The cards that a text names only by PCI ID, such as "0x744c", "1002:744c" or "Device 744c", as lspci writes their names; "" without any. */
  cardsByPciId(text) {
    const printed = text.slice(0, MOST_CHARACTERS).matchAll(/(?:\b(1002|10de|8086)[:\s]+(?:0x)?|\bVEN_(1002|10de|8086)&DEV_|\b0x|\bDevice )([0-9a-f]{4})\b/gi);
    const asked = [...printed].map(([, plain, windows, id]) => ({ vendor: (plain ?? windows)?.toLowerCase(), id: id.toLowerCase() }));
    const maker = this.pci.find((card) => new RegExp(`\\b${card.maker}\\b`, "i").test(text))?.vendor;
    const found = asked.flatMap(({ vendor, id }) => this.pci.filter((card) => card.id === id && card.vendor === (vendor ?? maker ?? card.vendor)));
    return [...new Set(found.map(({ name, maker: vendor }) => `00:00.0 Display controller: ${vendor} [${name}]`))].join("\n");
  }

  /** `names` of hardware in the text, and what else it tells. */
  read(text) {
    const bounded = text.slice(0, MOST_CHARACTERS).replace(/\r\n?/g, "\n").trim();
    const pasted = bounded.includes("\n") || bounded.length > TYPED || DATA.test(bounded) || LSPCI.test(bounded);
    const found = { names: [], platforms: new Set(), driver: null, toolkit: null, software: null, os: null, isOfComputer: false, arch: null, method: null, release: null, python: null, versions: {}, page: null, system: null, pasted, cpuOnly: false };
    if (!pasted && NO_GPU.test(bounded)) return { ...found, cpuOnly: true };
    found.driver = DRIVER.exec(bounded)?.[1] ?? null;
    if (pasted) return this.#readPasted(bounded, found);
    return this.#readTyped(bounded, found);
  }

  #readTyped(text, found) {
    text = text.replace(PYTHON_TAG, "python 3.$1");
    let rest = this.#readSoftware((found.driver ? text.replace(HEADER, " ") : text).replace(DRIVER, " ").replace(SEVERAL, "$1"), found);
    rest = found.software ? rest : this.#readToolkit(rest, found);
    if (found.driver && this.nvidia) found.platforms.add(this.nvidia.id);
    rest = this.#readChoices(rest, found);
    if (/\bwsl ?2?\b/i.test(text)) found.os = "linux"; // "Windows 11 WSL2"
    const printed = /name=(["'])(.+?)\1/.exec(rest)?.[2] ?? this.#afterLabel(rest);
    found.names = [...(printed ? parts(printed) : [rest]), text].map((name) => ({ text: name, strict: false }));
    return found;
  }

  #readPasted(text, found) {
    const head = text.toLowerCase();
    for (const [name, { platforms, systems }] of this.tools) {
      if (!name.test(head)) continue;
      platforms.forEach((platform) => found.platforms.add(platform));
      if (systems.size === 1) [found.os] = systems;
    }
    if (found.driver && this.nvidia) found.platforms.add(this.nvidia.id);
    if (found.platforms.size === 0) this.#readSoftware(text, found); // such as pip's list
    const system = this.systems.find(([, marks]) => marks.some((mark) => text.includes(mark)))?.[0];
    found.os = system ?? (LSPCI.test(text) ? "linux" : found.os);
    const lines = text.replace(/[│┃]/g, "|").split("\n").filter((line) => line.trim() !== "");
    const machines = [];
    for (const line of lines.filter((one) => /^\s*(?:os|operating system|architecture)\b[^:]*:|^PRETTY_NAME=/i.test(one))) {
      const other = /^\s*architecture:\s*(\w+)$/i.exec(this.#readChoices(line, found)); // "s390x", which the selector does not have
      if (other) machines.push(other[1]);
    }
    const labeled = lines.flatMap((line) => this.#afterLabel(line.replace(/[|\s]+$/, "")) ?? []);
    const isTool = found.platforms.size > 0;
    const boxed = lines.filter((line) => line.includes("|")).flatMap(cells);
    const pieces = lines.flatMap((line) => [line, ...line.split(/["',;]|\s{2,}/)]);
    const clean = (names, strict) => [...new Set(names.flatMap(parts))].filter((name) => /[\p{Letter}\d]{2}/u.test(name)).slice(0, MOST_NAMES).map((name) => ({ text: name.slice(0, LONGEST_NAME), strict }));
    found.names = [...clean([...labeled, ...machines, ...(isTool ? boxed : [])], false), ...clean([...boxed, ...pieces], true)];
    return found;
  }

  #afterLabel(line) {
    const value = this.labeled.exec(line.replace(/(?<=\S )CPU {2,}(?=\S)/g, "CPU "))?.[1]; // "Core(TM)2 Duo CPU     E8400"
    return value && (this.#afterLabel(value) ?? value);
  }

  /** The text without what names a choice of the selector. */
  #readChoices(text, found) {
    let rest = text;
    for (const { pattern, os, system, arch, method, build, release, python, requirement, version: named, page, kept } of this.choices) {
      rest = rest.replace(pattern, (words, version = named) => {
        if (version && requirement) found.versions[requirement] = version;
        if (python && /\d\.\d/.test(version)) found.python = /\d+\.\d+t?/.exec(version)[0];
        if (version && release) found.release = version;
        else if (build && found.release === null) found.release = build;
        found.isOfComputer ||= Boolean(kept) && found.os === null; // "M2 Mac mini" says nothing about another card
        found.os ??= os ?? system ?? null;
        found.page ??= page ?? null;
        if (version && os && !requirement) found.system ??= systemIn(words);
        found.arch ??= arch ?? null;
        found.method ??= method ?? null;
        return kept ? words : " ";
      });
    }
    return rest.trim();
  }

  /** "CANN 8.0.0", "torch_npu 2.4.0", "Gaudi 1.20": versions of a plugin or of what it needs; the text without them. */
  #readSoftware(text, found) {
    let rest = text;
    for (const { platform, name, pattern } of this.software) {
      const stated = pattern.exec(rest);
      if (!stated || (found.software && found.software.platform !== platform.id)) continue;
      found.software ??= { platform: platform.id, versions: {} };
      found.software.versions[name] = stated[1].toLowerCase();
      found.platforms.add(platform.id);
      rest = rest.replace(stated[0], " ");
    }
    return rest;
  }

  /** "CUDA 12.4", "ROCm 6.2", "cu124": the version of a platform's toolkit; the text without it. */
  #readToolkit(text, found) {
    const tag = /\+?\bcu(\d{2})(\d)\b/i.exec(text);
    const plain = tag ? text.replace(tag[0], ` CUDA ${tag[1]}.${tag[2]} `) : text;
    for (const { platform, pattern } of this.toolkits) {
      const stated = pattern.exec(plain);
      if (!stated) continue;
      found.toolkit = { platform: platform.id, version: stated[1], text: stated[0] };
      found.platforms.add(platform.id);
      return plain.replace(stated[0], " ");
    }
    return text;
  }
}

/** "Ubuntu 22.04": a system with its version. */
function systemIn(words) {
  const [text, name, version] = /^([\p{Letter}][\p{Letter} ]*?)[\s=:_v-]*(\d+(?:\.\d+)*)/u.exec(words.trim()) ?? [];
  return text ? { text, name: name.toLowerCase(), version } : null;
}

/** A pattern for words, behind which a version can stand. */
function wordPattern(words) {
  const each = longestFirst(words).map((word) => escaped(word).replaceAll(" ", "[\\s_-]?"));
  return new RegExp(`(?<![\\p{Letter}\\d])(?:${each.join("|")})(?:[\\s=:_v-]{0,3}(\\d{1,2}(?:\\.\\d{1,4})*t?))?(?: (?:lts|pro|home|enterprise))?(?![\\p{Letter}\\d])(?!\\.\\d)`, "giu");
}

/** A pattern for a name such as "torch-npu" or "Intel Gaudi software" with a version: "torch_npu==2.4.0", "Gaudi 1.20". */
function softwarePattern(name) {
  const [, maker = "", what] = /^(Intel )?(.*?)(?: SDK| software)?$/.exec(name);
  const words = what.split(/[-_ ]/).map(escaped).join("[-_ ]?");
  return new RegExp(`(?<![\\p{Letter}\\d])(?:${maker})?${words}(?: sdk| software| toolkit)?(?: version)?\\s*[:=_-]{0,2}\\s*v?(\\d+(?:\\.(?:\\d+|(?:rc|post)\\d+))+)(?![\\p{Letter}\\d])`, "iu");
}

/** The tools that print what a machine has, by the platforms and systems that they identify. */
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
  const printed = (name) => (name === "rocm-smi" ? /rocm[- ](?:smi|system management)/ : new RegExp(`(?:^|[^a-z])${name.replace(/[-_]/g, "[-_ ]")}(?![a-z])`));
  return [...tools].map(([name, tool]) => [printed(name), tool]);
}

/** The first cells of a row of a table in a terminal, without the number of the device and the states behind the name. */
function cells(line) {
  const name = (cell) => cell.trim().replace(/^[0-9a-f]{4}:[0-9a-f:.]+\s+/, "").replace(/^\d+\s+(?:\/\s+)?(?=\S)/, "").replace(/\s{2,}.*$/, "").replace(/\s+(?:On|Off|N\/A|WDDM|TCC|MCDM)$/, "");
  const isName = (cell) => /[a-z]/i.test(cell) && /\d/.test(cell) && !/^[0-9a-f]{4,8}:|%|\bSMI\b|Version|MiB|\/\s*\d|^\S+:\s*$/i.test(cell);
  return line.trim().replace(/^\|/, "").split("|").slice(0, 3).map(name).filter(isName).slice(0, 1);
}

/** "Navi 31 [Radeon RX 7900 XT/7900 XTX]": what stands in brackets is the name, each of several its own. */
function parts(name) {
  const bracketed = [...name.matchAll(/\[([^[\]]{4,})\]/g)].map(([, inside]) => inside).filter((inside) => !/^AMD\/ATI$|^[0-9a-f]{4}(?::[0-9a-f]{4})?$|controller|^(?:discrete|integrated)$/i.test(inside));
  const all = bracketed.length > 0 ? bracketed : [name.replace(/\[[0-9a-f]{4}(?::[0-9a-f]{4})?\]/g, " ").replace(/\((?!R\)|TM\)|C\)).*$| OpenCL \d.*$/i, "")];
  return all.flatMap((inside) => {
    const several = inside.split(/\s*\/\s*/);
    return several.length > 1 && several.every((part) => /\d/.test(part)) ? several : [inside];
  });
}
