// An answer of the finder: what the hardware is, and the commands for it.

import { both, element, link, listed, markEnglish, say, sayCount, sayParts, sentences, vendorText } from "./elements.js";
import { commandsFor, selectorQuery } from "./finder-commands.js";
import { condaAnswer, described, olderRelease, olderReleases, wantsConda } from "./selector-messages.js";
import { compareVersions } from "./selector-model.js";
import { needParts, scriptOf } from "./selector-view.js";

const MOST_MODELS = 8;
const MOST_FITS = 3;

/** `place` is the answer's number; the first one is open, the others show their name. */
export function answerBox(context, answer, place) {
  const box = place === 0 ? element("article", "answer") : element("details", "answer");
  const title = element(place === 0 ? "h3" : "summary", "answer-name", nameOf(answer));
  if (place === 0) title.ariaLevel = "2"; // below the title of the page
  if (box.tagName === "DETAILS") box.open = context.answers[0].generation?.verdict === "none" && answer === context.answers.find((other) => isWorking(context, other));
  if (place > 0 && nameOf(answer) !== answer.platform.name) title.append(" ", element("span", "answer-platform", answer.platform.name));
  const makeText = answer.generation ? vendorText : element; // names and figures of the data are in English
  box.append(title, makeText("p", "answer-what", whatOf(answer)), ...softwareLine(context, answer));
  box.append(...body(context, answer));
  return box;
}

/** What to do when nothing matches: the commands that show the hardware on the reader's own system, and all hardware. */
export function helpBox({ root, platforms, system, model }) {
  const box = element("article", "answer answer-help");
  const ways = platforms.flatMap((platform) => platform.identify.filter(({ os, command }) => os === system.os && !/^python/.test(command)).slice(0, 1).map((way) => ({ platform, way })));
  const usual = ways.filter(({ platform }) => platform.integration === "in-tree");
  const shown = usual.length > 0 ? usual : ways.slice(0, 3);
  const name = model.label("os", system.os);
  box.append(element("h3", "answer-name", say("Identify your hardware on {system}", { system: name })));
  box.append(element("p", "", say("Type the processor or the graphics card of your computer, or run one of these commands and paste its output above:")));
  const list = element("ul", "answer-ways");
  for (const { platform, way } of shown) {
    const item = element("li");
    item.append(...sayParts("{platform}: {command}", { platform: [platform.name], command: [element("code", "", way.command)] }));
    list.append(item);
  }
  const links = element("p", "answer-links");
  links.append(link(`${root}hardware/#see`, say("Commands for every platform")), " ", link(`${root}hardware/#all`, say("All hardware")), " ", link(`${root}other-ways/`, say("Phones, browsers and other runtimes")));
  box.append(list, links);
  return box;
}

/** Names in the list that are similar to the one that is not, as a question. */
export function nearBox({ root }, names) {
  if (names.length === 0) return [];
  const line = element("p", "answer-near");
  const links = names.map(({ name, platform }) => [link(`${root}hardware/?card=${encodeURIComponent(name)}`, `${name} (${platform.name})`)]);
  line.append(...sayParts("Did you mean {names}?", { names: links.reduce((one, other) => sayParts("{one}, {other}", { one, other })) }));
  return [line];
}

/** "CANN 8.0.0": the releases that fit it. */
function softwareLine({ root }, { platform, software }) {
  if (!software) return [];
  const named = both(Object.entries(software.versions).map((one) => one.join(" ")));
  const fits = software.fits.slice(0, MOST_FITS).map((fit) => say("PyTorch {torch} with {others}", { torch: fit.torch, others: both(Object.entries(fit.software).map((one) => one.join(" "))) }));
  const line = element("p", "answer-runs", fits.length > 0 ? say("These versions fit together: {fits}.", { fits: fits.join("; ") }) : say("The version table does not list {software}.", { software: named }));
  line.append(" ", link(`${root}compute-platforms/${platform.id}/#versions`, say("All versions of {platform}", { platform: platform.name })));
  return [line];
}

/** The commands for an answer; those for a version of its software must install what fits it. */
function fitting(model, answer, system) {
  const { software, release } = answer;
  if (!software) return commandsFor(model, answer, system);
  const versions = software.fits.map(({ torch, software: named }) => ({ torch, plugin: Object.values(named)[0] })).filter(({ torch }) => !release || torch.startsWith(release));
  const methods = answer.method ? [answer.method] : [null, "source"]; // what is built comes last
  for (const { torch, plugin, method } of methods.flatMap((one) => versions.map((fit) => ({ ...fit, method: one })))) {
    const found = commandsFor(model, { ...answer, release: torch, method }, system);
    if (found.row && (method || found.choice.method !== "source") && found.choice.build === torch && `${scriptOf(model, found.choice, found.row).commands}\n`.split(/[\s='"/:]+v?/).includes(plugin)) return found;
  }
  return null;
}

function body(context, answer) {
  const { model, system, root } = context;
  const { platform, generation, broad, guessed } = answer;
  const found = broad || guessed ? null : fitting(model, answer, system);
  if (!found) {
    const line = element("p", "answer-links");
    line.append(link(`${root}compute-platforms/${platform.id}/`, say("{platform}: hardware, setup, help", { platform: platform.name })), " ", link(`${root}hardware/#all`, say("All hardware")));
    return [line, identify(platform, answer.os ?? system.os)].filter(Boolean);
  }
  const parts = [];
  const inWsl = answer.wsl && generation && found.row && platform.wsl_answer;
  const older = platform.integration === "in-tree" && answer.release ? olderRelease(model, answer.release) : [];
  const ways = inWsl || older.length > 0 ? {} : found;
  if (older.length > 0) parts.push(paragraph("answer-verdict", [say("There is no command for {what} here.", { what: `PyTorch ${answer.release}` }), ...older]));
  else if (inWsl) parts.push(paragraph("answer-verdict", vendorText("span", "", platform.wsl)), paragraph("answer-why", link(root + platform.wsl_answer, say("How to use this hardware in WSL2"))));
  else if (ways.row) parts.push(...commands(context, answer, ways));
  else if (ways.ended) parts.push(...endedCommands(model, answer, ways));
  else parts.push(...without(context, answer));
  parts.push(...notes(answer, ways.row));
  const links = element("p", "answer-links");
  if (ways.row || ways.ended) links.append(selectorLink(context, ways, say("Open in the selector")), " ");
  const behind = ways.row && onRequest(model, answer, ways);
  if (behind) links.append(selectorLink(context, behind, say("Command for {build}", { build: behind.choice.build })), " ");
  const page = generation ? generation.page : `compute-platforms/${platform.id}/`;
  links.append(link(root + page, generation ? say("{card} on the {platform} page, with sources", { card: generation.name, platform: platform.name }) : say("{platform}: setup, first program, help", { platform: platform.name })));
  if (generation?.verdict === "none" && platform.dispatch_key !== "CPU") links.append(" ", link(`${root}other-ways/`, say("Phones, browsers and other runtimes")));
  parts.push(links);
  if (!/npu|\n/i.test(context.query) && generation?.notes.some((note) => note.includes("The NPU of"))) links.append(" ", link(`${root}hardware/?card=${encodeURIComponent(`${context.query} NPU`)}`, say("The NPU of this processor")));
  const sure = generation?.verdict === "none" ? null : identify(platform, found.choice.os); // the tool of a platform finds no hardware of others, such as an NPU
  if (sure) parts.push(sure);
  return parts;
}

/** The commands, with one line on which release and build they install, and why these. */
function commands(context, answer, found) {
  const { model, root } = context;
  const { choice, row } = found;
  const verdict = headline(model, answer, choice);
  const build = element("p", "answer-runs", builtFor(model, found));
  const said = [...reasons(context, answer, found), ...otherSystems(context, answer, found)].map((text) => paragraph("answer-why", text));
  return [...(verdict ? [paragraph("answer-verdict", verdict)] : []), build, ...said, ...otherBuilds(root, answer), ...commandBox(scriptOf(model, choice, row), { hasUv: model.available("method", choice).has("uv"), isDoubtful: answer.generation?.uncertain }), ...requirements(answer, row)];
}

/** The commands of the last release for a machine. */
function endedCommands(model, answer, { ended, choice }) {
  return [element("p", "answer-verdict", headline(model, answer, choice)), element("p", "answer-runs", described(model, choice)), commandBox(ended, { isDoubtful: answer.generation.uncertain })[0]];
}

/** One line above the commands: whether the hardware works with what is released now. */
function headline(model, answer, choice) {
  const { platform, generation } = answer;
  if (!generation) return "";
  const { build } = choice;
  const what = platform.dispatch_key === "CPU" ? say("your processor") : say("your card");
  const { verdict, newest: last, jetpack } = generation;
  const release = build === "preview" ? last : build;
  if (generation.uncertain) return say("It is not certain that this build of PyTorch {version} runs on {what}.", { version: release, what });
  const supported = jetpack ? say("PyTorch {version} supports {what} with JetPack {jetpack} or newer.", { version: release, what, jetpack }) : say("PyTorch {version} supports {what}.", { version: release, what });
  if (verdict === "newest" && build === "preview") return sentences([supported, say("These commands install a nightly build.")]);
  if (verdict === "newest" && build === last) return supported;
  if (verdict === "newest") {
    const isOffered = model.available("build", choice).has(last);
    return sentences([supported, isOffered ? say("The newest release for {what} is {version}.", { what, version: last }) : say("This site has no command for {build} on {system}.", { build: last, system: model.label("os", choice.os) })]);
  }
  const [newest, previous] = model.values("build").map(([id]) => id).filter((id) => /^\d/.test(id));
  if (verdict === "earlier" && last === previous) return sentences([supported, say("There is no command for {build}.", { build: newest })]);
  if (verdict === "earlier") return say("PyTorch {version} is the newest release known to support {what}.", { version: last, what });
  return verdict === "preview" ? say("Only nightly builds support {what}.", { what }) : "";
}

/** What the newest release of the hardware leads to, if the selector has it only for those who ask for that release. */
function onRequest(model, { platform, generation }, { choice, wishes, limits }) {
  const build = generation?.newest;
  if (!build || build === choice.build || wishes.some(([axis]) => axis === "build")) return null;
  const asked = [...wishes, ["build", build]];
  const machine = model.data.machine.map((axis) => [axis, choice[axis]]);
  const found = model.resolve([...machine, ["platform", platform.id], ...asked], limits);
  return found.row?.onRequest && found.choice.build === build ? { ...found, wishes: asked, limits } : null;
}

function reasons({ model, root }, answer, found) {
  const { platform, generation, toolkit, driver, rented } = answer;
  const { choice, wanted, variant, tooOld, unmet } = found;
  const system = model.label("os", choice.os);
  const said = answer.wsl && platform.wsl ? [vendorText("span", "", platform.wsl)] : [];
  if (choice.os !== wanted.os) {
    const what = generation ? say("this hardware") : platform.name;
    said.push(say("There is no build for {what} on {other}. These commands are for {system}.", { what, other: model.label("os", wanted.os), system }));
  } else if (rented) said.push(say("These commands are for {system} on the rented machine.", { system }));
  const inWsl = onlyInWsl(answer, choice.os)?.note;
  if (inWsl) said.push(vendorText("span", "", inWsl));
  said.push(...aboutSystem(answer));
  const behind = onRequest(model, answer, found);
  if (behind) said.push(sayParts("The command for {build} has a restriction: {note}", { build: behind.choice.build, note: vendorText("span", "", behind.row.note) }));
  if (tooOld) said.push(say("No build here runs with driver {driver}. Update the driver first.", { driver }));
  else if (driver && model.data.drivers[platform.id]) said.push(say("Limited to builds that run with {driver}.", { driver: `${model.data.drivers[platform.id].name} ${driver}` }));
  if (toolkit?.platform === platform.id) {
    if (!variant) said.push([say("This site has no command for {toolkit}. This is the default build.", { toolkit: toolkit.text }), ...olderToolkit(model, platform, toolkit)]);
    else if (!variant.exact) said.push(say("There is no build for {toolkit}. {variant} is the next older build.", { toolkit: toolkit.text, variant: variant.label }));
    if (model.data.drivers[platform.id]) said.push(say("To see all builds that your driver runs, type the driver version instead."));
  }
  const tooEarly = answer.release && !found.wishes.some(([axis]) => axis === "build") ? [`PyTorch ${answer.release}`] : [];
  const otherPython = answer.python && found.row.pythons && choice.python !== answer.python ? [`Python ${answer.python}`] : [];
  const other = [...tooEarly, ...otherPython, ...unmet.filter(([axis]) => axis !== "python").map(([axis, value]) => model.label(axis, value, platform.id))];
  if (other.length > 0) said.push(say("There is no command for {what} here.", { what: both(other) }));
  if (wantsConda(found)) said.push(condaAnswer(root));
  return said;
}

/** Whether the sources of a platform list the version of a system that a query names. */
function aboutSystem({ platform, os, system, wsl, rented }) {
  if (!system || wsl || rented) return [];
  const plain = (name) => name.toLowerCase().replace(/^win\b/, "windows").replace(/^red hat(?: enterprise linux)?/, "rhel");
  const stated = (platform.operating_systems ?? []).filter((one) => one.os === os && !/wsl/i.test(one.name));
  const same = stated.filter(({ name }) => plain(name).startsWith(plain(system.name)) && /\d/.test(name));
  const general = stated.find(({ name, note }) => note && /^linux\b/i.test(name));
  if (same.length === 0) return general ? [vendorText("span", "", general.note)] : [];
  const found = same.filter((one) => lists(one.name, system.version));
  const names = (some) => listed(unique(some.map(({ name }) => name)));
  if (found.length === 0) return [say("The sources for {platform} list {others}, not {system}.", { platform: platform.name, others: names(same), system: system.text })];
  const [{ note }] = found;
  return [[say("The sources for {platform} list {others}.", { platform: platform.name, others: names(found) }), ...(note && found.length === 1 ? [" ", vendorText("span", "", note)] : [])]];
}

/** Whether the name of a system, such as "Debian 12 or newer", stands for a version. */
function lists(name, version) {
  const within = (one, other) => `${one}.`.startsWith(`${other}.`);
  return (name.match(/\d+(?:\.\d+)*/g) ?? []).some((own) => within(own, version) || within(version, own) || (/newer/.test(name) && compareVersions(version, own) > 0));
}

/** For a toolkit that is older than all of this site: where its builds are, as what follows a sentence. */
function olderToolkit(model, { id, integration }, { version }) {
  const known = model.values("variant", id).flatMap(([, label]) => /\d+\.\d+$/.exec(label) ?? []);
  return integration === "in-tree" && known.length > 0 && known.every((other) => compareVersions(version, other) < 0) ? [" ", olderReleases(model)] : [];
}

/** The other systems that have commands, if neither the query nor the browser (of a phone, for example) names one. */
function otherSystems(context, answer, { choice }) {
  const { model, system } = context;
  if (!system.isGuessed || answer.os || answer.rented) return [];
  const others = model.values("os").filter(([os]) => os !== choice.os).map(([os, label]) => [commandsFor(model, { ...answer, os }, system), label]);
  const links = others.filter(([{ row }]) => row).map(([found, label]) => [selectorLink(context, found, label)]);
  if (links.length === 0) return [];
  return [sayParts("These commands are for {system}. Commands for other systems: {links}", { system: [model.label("os", choice.os)], links: links.reduce((one, other) => sayParts("{one}, {other}", { one, other })) })];
}

/** Hardware without commands: why, and what the machine can use instead. */
function without(context, answer) {
  const { model, system, cpu, root, answers } = context;
  const { platform, generation, os, arch, python, versions, page } = answer;
  const parts = [];
  if (generation?.verdict === "no-command") {
    const words = generation.newest ? say("{release}, no install command on this site", { release: generation.newest }) : say("no install command on this site");
    return [element("p", "answer-runs", say("PyTorch: {words}. The platform page says how to install it.", { words }))];
  }
  const stated = Object.entries(versions ?? {}).map((named) => named.join(" "));
  const where = [os && !versions?.[model.label("os", os)] && (model.label("os", os) || os), arch && (model.label("arch", arch) || arch), ...stated].filter(Boolean);
  const runs = !generation || generation.verdict !== "none";
  const works = answer === answers[0] ? answers.find((other) => isWorking(context, other)) : null;
  const said = !generation ? say("No PyTorch build in this portal runs on {where}.", { where: listed(where) }) : runs ? say("No PyTorch build in this portal for this hardware runs on {where}.", { where: listed(where) }) : works ? say("{platform}: no build in this portal runs on this hardware.", { platform: platform.name }) : say("No PyTorch build in this portal runs on this hardware.");
  parts.push(element("p", "answer-runs runs-none", said));
  if (works) parts.push(paragraph("answer-verdict", say("PyTorch runs on {hardware}: see the answer below ({platform}).", { hardware: nameOf(works), platform: works.platform.name })));
  if (page) parts.push(paragraph("answer-why", link(root + page, say("Which systems and processors PyTorch has wheels for"))));
  parts.push(...otherBuilds(root, { generation }));
  const isApple = platform.dispatch_key === "MPS" && generation?.arch !== "x86_64";
  const inIntelMac = (os ?? system.os) === "macos" && !isApple; // no other Mac has a GPU that is not Apple's
  const machine = inIntelMac ? { os: "macos", arch: "x86_64" } : { os, arch: arch ?? generation?.arch };
  const found = platform.dispatch_key === "CPU" || isApple || !cpu ? null : commandsFor(model, { platform: cpu, generation: null, ...machine, python, versions }, system);
  const script = found?.row ? scriptOf(model, found.choice, found.row) : found?.ended;
  if (!script) return parts;
  const choice = found.row ? builtFor(model, found) : described(model, found.choice);
  parts.push(element("p", "answer-why", works ? say("PyTorch also runs on the processor: {choice}.", { choice }) : say("PyTorch runs on the processor instead: {choice}.", { choice })));
  parts.push(...commandBox(script, { hasUv: Boolean(found.row) }));
  return parts;
}

/** Whether an answer has commands for an accelerator, on the system that is asked for or for the same platform as the first answer. */
function isWorking({ model, system, answers }, answer) {
  const { platform, generation } = answer;
  if (platform.dispatch_key === "CPU" || !generation || generation.verdict === "none" || generation.uncertain) return false;
  const { row, ended, choice, wanted } = commandsFor(model, answer, system);
  return Boolean(row ?? ended) && !onlyInWsl(answer, choice.os) && (choice.os === wanted.os || platform === answers[0].platform);
}

/** The entry of WSL, if a platform's builds for a system run only there and the query does not name it. */
function onlyInWsl({ platform, wsl }, os) {
  const systems = (platform.operating_systems ?? []).filter((system) => system.os === os);
  return !wsl && systems.every(({ name }) => /wsl/i.test(name)) ? systems[0] : undefined;
}

/** The answer about builds of the vendor, which have no command here. */
function otherBuilds(root, { generation }) {
  return generation?.other_builds ? [paragraph("answer-why", link(root + generation.other_builds, say("Builds of the vendor for this hardware")))] : [];
}

/** What the commands install; a container has a Python of its own. */
function builtFor(model, { choice, row }) {
  return listed([described(model, choice), ...(row.pythons ? [`Python ${choice.python}`] : [])]);
}

function commandBox({ environment, commands: install, check }, { hasUv = false, isDoubtful = false } = {}) {
  const box = element("div", isDoubtful ? "command-box is-doubtful" : "command-box");
  const pre = element("pre", "command");
  Object.assign(pre, { tabIndex: 0, ariaLabel: say("Commands") });
  if (environment) pre.append(`${environment}\n`);
  pre.append(element("span", "command-main", install));
  if (check) pre.append(`\n${check}`);
  const button = element("button", "copy", isDoubtful ? say("Copy anyway") : say("Copy"));
  button.type = "button";
  button.dataset.copy = "answer";
  box.append(pre, button);
  const note = hasUv ? say("If your system does not have this Python, open the selector and select yours, or the format uv, which downloads it.") : say("If your system does not have this Python, open the selector and select yours.");
  return [box, ...(environment?.startsWith("py") ? [element("p", "answer-needs", note)] : [])];
}

function requirements({ generation }, row) {
  const needs = [...row.needs, ...(generation?.jetpack ? [["JetPack", `>=${generation.jetpack}`]] : [])];
  if (needs.length === 0) return [];
  const said = needs.map((need) => {
    const one = element("span");
    one.append(...needParts(need));
    return [markEnglish(one)];
  });
  return [paragraph("answer-needs", sayParts("Requirements: {needs}", { needs: said.reduce((one, other) => sayParts("{one}, {other}", { one, other })) }))];
}

/** A text, or a list of texts and elements, as a paragraph. */
function paragraph(className, parts) {
  const made = element("p", className);
  made.append(...[parts].flat());
  return made;
}

/** What qualifies the hardware and the commands, once each. */
function notes({ platform, generation, models, wsl }, row) {
  const finding = row?.finding(row.pythons?.[0] ?? "");
  const isHere = (text) => !row || (generation.note_machines?.[text]?.some((machine) => `${row.os} ${row.arch} `.startsWith(`${machine} `)) ?? true);
  const vendors = new Set([...(generation?.notes ?? []).filter(isHere), models.length === 1 && models[0].note, ownTarget(row?.note, generation)].filter(Boolean));
  if (wsl) vendors.delete(platform.wsl); // stands above the commands
  const files = row?.files.length > 0 && say("These commands need files. The selector shows them.");
  const stage = row?.stage && sayParts("Lifecycle: {stage}", { stage: vendorText("span", "", row.stage[0]) });
  const own = [finding?.[0] === "none" && finding[1], stage, files].filter(Boolean);
  return [...[...vendors].map((text) => vendorText("p", "note", text)), ...own.map((text) => paragraph("note", text))];
}

/** A note with the card's own LLVM target in place of another card's, as an example. */
function ownTarget(note, generation) {
  return /^gfx\w+$/.test(generation?.chip) ? note?.replace(/device-gfx\w+ for an? [^.,]+/, `device-${generation.chip} for this card`) : note;
}

function unique(list) {
  return [...new Set(list)];
}

function selectorLink({ home, model, openHere }, found, words) {
  const query = selectorQuery(model, found);
  const open = link(`${home}?${query}`, words);
  open.addEventListener("click", (event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (openHere(query)) event.preventDefault();
  });
  return open;
}

function nameOf({ platform, generation, models }) {
  if (!generation) return platform.dispatch_key === "CPU" ? "CPU" : `${platform.vendor}: ${platform.name}`;
  const named = models.length > 0 ? models : generation.models;
  const names = named.slice(0, MOST_MODELS).map((model) => model.name);
  if (named.length > MOST_MODELS) names.push(sayCount("{count} more", "{count} more", named.length - MOST_MODELS));
  return listed(names);
}

function whatOf(answer) {
  const { platform, generation, models } = answer;
  if (!generation && platform.dispatch_key === "CPU") return say("For a computer without an accelerator.");
  if (!generation) return say("Type the name of your {vendor} hardware to see the build for it.", { vendor: platform.vendor });
  const chip = generation.chip ? `, ${platform.chip ? `${platform.chip} ` : ""}${generation.chip}` : "";
  return `${platform.name}: ${generation.name}${chip}${figures(models.length > 0 ? models : generation.models, answer)}`;
}

/** One card's memory and power, unless the query names another one: a laptop's chip, or other memory. Of several there is no one figure. */
function figures(models, { mobile, sizes }) {
  if (models.length !== 1) return "";
  const [model] = models;
  const isMobile = /laptop|mobile|max-q|\d[MS]\b/i.test(model.name);
  if (model.memory_gb && ((mobile && !isMobile) || (sizes.length > 0 && !sizes.includes(model.memory_gb)))) return "";
  const parts = [model.memory_gb && `${model.memory_gb} GB${model.memory ? `, ${model.memory}` : ""}`, model.power_w && `${model.power_w} W`];
  return parts.filter(Boolean).map((part) => `, ${part}`).join("");
}

function identify(platform, os) {
  const ways = platform.identify.filter((way) => way.os === os).slice(0, 2);
  if (ways.length === 0) return null;
  const line = element("p", "answer-identify");
  const commands = ways.map((way) => [element("code", "", way.command)]);
  line.append(...sayParts("To check which hardware you have, run {commands}.", { commands: commands.reduce((one, other) => sayParts("{one} or {other}", { one, other })) }));
  return line;
}

