// Builds the page elements for the finder's answers: what the hardware is, and the commands that install PyTorch on it.
// `resolved` is what `commandsFor` returns: a row of the selector with its choice, or a reason why there is none.

import { both, element, link, listed, markEnglish, opensHere, say, sayCount, sayParts, sentences, vendorText } from "./elements.js";
import { unique } from "./finder-answers.js";
import { commandsFor, selectorQuery } from "./finder-commands.js";
import { condaAnswer, described, olderRelease, olderReleases, wantsConda } from "./selector-messages.js";
import { compareVersions } from "./selector-model.js";
import { needParts, scriptOf, stageText } from "./selector-view.js";

const MOST_MODELS = 8;
const MOST_FITS = 3;

/** Returns the box of an answer; the answer at index 0 is open, the others are closed and show their name. */
export function answerBox(context, answer, index) {
  const box = index === 0 ? element("article", "answer") : element("details", "answer");
  const title = element(index === 0 ? "h3" : "summary", "answer-name", nameOf(answer));
  if (index === 0) title.ariaLevel = "2"; // below the title of the page
  if (box.tagName === "DETAILS") box.open = context.answers[0].generation?.verdict === "none" && answer === context.answers.find((other) => isWorking(context, other));
  if (index > 0 && nameOf(answer) !== answer.platform.name) title.append(" ", element("span", "answer-platform", answer.platform.name));
  const makeText = answer.generation ? vendorText : element; // names and numbers in the data are in English
  box.append(title, makeText("p", "answer-what", descriptionOf(answer)), ...softwareLine(context, answer));
  box.append(...answerBody(context, answer));
  return box;
}

/** Returns the box of a backend or runtime that is no compute platform. */
export function otherBox({ root }, { name, maker, hardware, summary, page }) {
  const box = element("article", "answer");
  const title = element("h3", "answer-name", name);
  title.ariaLevel = "2";
  const links = element("p", "answer-links");
  links.append(link(root + page, say("{name}, with sources", { name })));
  box.append(title, vendorText("p", "answer-what", hardware ?? maker), vendorText("p", "answer-why", summary), links);
  return box;
}

/** Returns the help for a query that matches nothing: commands that identify the hardware on the reader's system, and links. */
export function helpBox({ root, platforms, system, model }) {
  const box = element("article", "answer answer-help");
  const tools = platforms.flatMap((platform) => platform.identify.filter(({ os, command }) => os === system.os && !/^python/.test(command)).slice(0, 1).map((tool) => ({ platform, tool })));
  const inTreeTools = tools.filter(({ platform }) => platform.integration === "in-tree");
  const shownTools = inTreeTools.length > 0 ? inTreeTools : tools.slice(0, 3);
  const systemName = model.label("os", system.os);
  box.append(element("h3", "answer-name", say("Identify your hardware on {system}", { system: systemName })));
  box.append(element("p", "", say("Type the processor or the graphics card of your computer, or run one of these commands and paste its output above:")));
  const list = element("ul", "answer-ways");
  for (const { platform, tool } of shownTools) {
    const item = element("li");
    item.append(...sayParts("{platform}: {command}", { platform: [platform.name], command: [element("code", "", tool.command)] }));
    list.append(item);
  }
  const links = element("p", "answer-links");
  links.append(link(`${root}hardware/#see`, say("Commands for every platform")), " ", link(`${root}hardware/#all`, say("All hardware")), " ", link(`${root}other-ways/`, say("Phones, browsers and other runtimes")));
  box.append(list, links);
  return box;
}

/** Returns the line "Did you mean …?" with links to similar names, as a list; empty if there are none. */
export function nearBox({ root }, names) {
  if (names.length === 0) return [];
  const line = element("p", "answer-near");
  const links = names.map(({ name, platform }) => [link(`${root}hardware/?card=${encodeURIComponent(name)}`, `${name} (${platform.name})`)]);
  line.append(...sayParts("Did you mean {names}?", { names: links.reduce((one, other) => sayParts("{one}, {other}", { one, other })) }));
  return [line];
}

/** Returns the line with the versions that fit the software in a query, such as "CANN 8.0.0", as a list; empty without software. */
function softwareLine({ root }, { platform, software }) {
  if (!software) return [];
  const softwareName = both(Object.entries(software.versions).map((pair) => pair.join(" ")));
  const fitTexts = software.fits.slice(0, MOST_FITS).map((fit) => say("PyTorch {torch} with {others}", { torch: fit.torch, others: both(Object.entries(fit.software).map((pair) => pair.join(" "))) }));
  const line = element("p", "answer-runs", fitTexts.length > 0 ? say("These versions fit together: {fits}.", { fits: fitTexts.join("; ") }) : say("The version table does not list {software}.", { software: softwareName }));
  line.append(" ", link(`${root}compute-platforms/${platform.id}/#versions`, say("All versions of {platform}", { platform: platform.name })));
  return [line];
}

/**
 * Returns the row and choice that install PyTorch for an answer. If the query names a version of the platform's software,
 * the commands must install versions that fit it; null if there are no such commands.
 */
function commandsForAnswer(model, answer, system) {
  const { software, release } = answer;
  if (!software) return commandsFor(model, answer, system);
  const versions = software.fits.map(({ torch, software: packages }) => ({ torch, plugin: Object.values(packages)[0] })).filter(({ torch }) => !release || torch.startsWith(release));
  const methods = answer.method ? [answer.method] : [null, "source"]; // building from source comes last
  for (const { torch, plugin, method } of methods.flatMap((candidate) => versions.map((fit) => ({ ...fit, method: candidate })))) {
    const resolved = commandsFor(model, { ...answer, release: torch, method }, system);
    if (resolved.row && (method || resolved.choice.method !== "source") && resolved.choice.build === torch && `${scriptOf(model, resolved.choice, resolved.row).commands}\n`.split(/[\s='"/:]+v?/).includes(plugin)) return resolved;
  }
  return null;
}

/** Returns the elements below an answer's title: the commands, or why there are none, then notes and links. */
function answerBody(context, answer) {
  const { model, system, root } = context;
  const { platform, generation, broad, guessed } = answer;
  const resolved = broad || guessed ? null : commandsForAnswer(model, answer, system);
  if (!resolved) {
    const line = element("p", "answer-links");
    line.append(link(`${root}compute-platforms/${platform.id}/`, say("{platform}: hardware, setup, help", { platform: platform.name })), " ", link(`${root}hardware/#all`, say("All hardware")));
    return [line, identifyLine(platform, answer.os ?? system.os)].filter(Boolean);
  }
  const parts = [];
  const wslAnswer = answer.wsl && generation && resolved.row && platform.wsl_answer;
  const olderParts = platform.integration === "in-tree" && answer.release ? olderRelease(model, answer.release) : [];
  const offer = wslAnswer || olderParts.length > 0 ? {} : resolved;
  if (olderParts.length > 0) parts.push(paragraph("answer-verdict", [say("There is no command for {what} here.", { what: `PyTorch ${answer.release}` }), ...olderParts]));
  else if (wslAnswer) parts.push(paragraph("answer-verdict", vendorText("span", "", platform.wsl)), paragraph("answer-why", link(root + platform.wsl_answer, say("How to use this hardware in WSL2"))));
  else if (offer.row) parts.push(...commandParts(context, answer, offer));
  else if (offer.ended) parts.push(...endedCommands(model, answer, offer));
  else parts.push(...unavailableParts(context, answer));
  parts.push(...notes(answer, offer.row));
  const links = element("p", "answer-links");
  if (offer.row || offer.ended) links.append(selectorLink(context, offer, say("Open in the selector")), " ");
  const newest = offer.row && newestOnRequest(model, answer, offer);
  if (newest) links.append(selectorLink(context, newest, say("Command for {build}", { build: newest.choice.build })), " ");
  const page = generation ? generation.page : `compute-platforms/${platform.id}/`;
  links.append(link(root + page, generation ? say("{card} on the {platform} page, with sources", { card: generation.name, platform: platform.name }) : say("{platform}: setup, first program, help", { platform: platform.name })));
  if (generation?.verdict === "none" && platform.dispatch_key !== "CPU") links.append(" ", link(`${root}other-ways/`, say("Phones, browsers and other runtimes")));
  parts.push(links);
  if (!/npu|\n/i.test(context.query) && generation?.notes.some((note) => note.includes("The NPU of"))) links.append(" ", link(`${root}hardware/?card=${encodeURIComponent(`${context.query} NPU`)}`, say("The NPU of this processor")));
  const identifyHint = generation?.verdict === "none" ? null : identifyLine(platform, resolved.choice.os); // a platform's tool does not detect hardware of other platforms, such as an NPU
  if (identifyHint) parts.push(identifyHint);
  return parts;
}

/** Returns the commands, with lines that say what they install and why these were selected. */
function commandParts(context, answer, resolved) {
  const { model, root } = context;
  const { choice, row } = resolved;
  const verdict = headline(model, answer, choice);
  const buildLine = element("p", "answer-runs", buildDescription(model, resolved));
  const explanations = [...reasons(context, answer, resolved), ...otherSystems(context, answer, resolved)].map((text) => paragraph("answer-why", text));
  return [...(verdict ? [paragraph("answer-verdict", verdict)] : []), buildLine, ...explanations, ...otherBuilds(root, answer), ...commandBox(scriptOf(model, choice, row), { hasUv: model.available("method", choice).has("uv"), isDoubtful: answer.generation?.uncertain }), ...requirements(answer, row)];
}

/** Returns the commands of the last release that has wheels for a machine. */
function endedCommands(model, answer, { ended, choice }) {
  return [element("p", "answer-verdict", headline(model, answer, choice)), element("p", "answer-runs", described(model, choice)), commandBox(ended, { isDoubtful: answer.generation.uncertain })[0]];
}

/** Returns the sentence above the commands: which PyTorch release supports the hardware; "" if there is nothing to say. */
function headline(model, answer, choice) {
  const { platform, generation } = answer;
  if (!generation) return "";
  const { build } = choice;
  const what = platform.dispatch_key === "CPU" ? say("your processor") : say("your card");
  const { verdict, newest: latest, jetpack } = generation;
  const release = build === "preview" ? latest : build;
  if (generation.uncertain && !release) return say("It is not certain that this nightly build of PyTorch runs on {what}.", { what });
  if (generation.uncertain) return say("It is not certain that this build of PyTorch {version} runs on {what}.", { version: release, what });
  if (generation.inference_only) return say("PyTorch {version} supports {what} for inference only.", { version: release, what });
  const supported = jetpack ? say("PyTorch {version} supports {what} with JetPack {jetpack} or newer.", { version: release, what, jetpack }) : say("PyTorch {version} supports {what}.", { version: release, what });
  if (verdict === "newest" && build === "preview") return sentences([supported, say("These commands install a nightly build.")]);
  if (verdict === "newest" && build === latest) return supported;
  if (verdict === "newest") {
    const isOffered = model.available("build", choice).has(latest);
    return sentences([supported, isOffered ? say("The newest release for {what} is {version}.", { what, version: latest }) : say("This site has no command for {build} on {system}.", { build: latest, system: model.label("os", choice.os) })]);
  }
  const [newest, previous] = model.values("build").map(([id]) => id).filter((id) => /^\d/.test(id));
  if (verdict === "earlier" && generation.reaches) {
    const failing = generation.reaches === "loads" ? say("Newer builds load, but basic operations are reported to fail.") : say("PyTorch {version} installs, but does not find this hardware.", { version: generation.passed_over });
    return sentences([say("PyTorch {version} is the newest release known to support {what}.", { version: latest, what }), failing]);
  }
  if (verdict === "earlier" && latest === previous) return sentences([supported, say("There is no command for {build}.", { build: newest })]);
  if (verdict === "earlier") return say("PyTorch {version} is the newest release known to support {what}.", { version: latest, what });
  return verdict === "preview" ? say("Only nightly builds support {what}.", { what }) : "";
}

/** Returns the row and choice for the hardware's newest release, if the selector shows it only on request; else null. */
function newestOnRequest(model, { platform, generation }, { choice, wishes, limits }) {
  const build = generation?.newest;
  if (!build || build === choice.build || wishes.some(([axis]) => axis === "build")) return null;
  const wishesWithBuild = [...wishes, ["build", build]];
  const machine = model.data.machine.map((axis) => [axis, choice[axis]]);
  const resolved = model.resolve([...machine, ["platform", platform.id], ...wishesWithBuild], limits);
  return resolved.row?.on_request && resolved.choice.build === build ? { ...resolved, wishes: wishesWithBuild, limits } : null;
}

/** Returns the sentences that explain the commands: another system or build than the query names, or limits; texts or lists of parts. */
function reasons({ model, root }, answer, resolved) {
  const { platform, generation, toolkit, driver, rented, notebook } = answer;
  const { choice, requestedMachine, variant, tooOld, unmet } = resolved;
  const system = model.label("os", choice.os);
  const explanations = answer.wsl && platform.wsl ? [vendorText("span", "", platform.wsl)] : [];
  if (choice.os !== requestedMachine.os) {
    const what = generation ? say("this hardware") : platform.name;
    explanations.push(say("There is no build for {what} on {other}. These commands are for {system}.", { what, other: model.label("os", requestedMachine.os), system }));
  } else if (rented) explanations.push(say("These commands are for {system} on the rented machine.", { system }));
  if (notebook) explanations.push(sayParts("{name} has PyTorch installed. For another version, see {answer}.", { name: [notebook.name], answer: [link(root + notebook.page, say("how to install PyTorch in a notebook"))] }));
  const wslNote = onlyInWsl(answer, choice.os)?.note;
  if (wslNote) explanations.push(vendorText("span", "", wslNote));
  explanations.push(...aboutSystem(answer));
  const newest = newestOnRequest(model, answer, resolved);
  if (newest) explanations.push(sayParts("The command for {build} has a restriction: {note}", { build: newest.choice.build, note: vendorText("span", "", newest.row.note) }));
  if (tooOld) explanations.push(say("No build here runs with driver {driver}. Update the driver first.", { driver }));
  else if (driver && model.data.drivers[platform.id]) explanations.push(say("Limited to builds that run with {driver}.", { driver: `${model.data.drivers[platform.id].name} ${driver}` }));
  if (toolkit?.platform === platform.id) {
    if (!variant) explanations.push([say("This site has no command for {toolkit}. This is the default build.", { toolkit: toolkit.text }), ...olderToolkitParts(model, platform, toolkit)]);
    else if (!variant.exact) explanations.push(say("There is no build for {toolkit}. {variant} is the next older build.", { toolkit: toolkit.text, variant: variant.label }));
    if (model.data.drivers[platform.id]) explanations.push(say("To see all builds that your driver runs, type the driver version instead."));
  }
  const missingRelease = answer.release && !resolved.wishes.some(([axis]) => axis === "build") ? [`PyTorch ${answer.release}`] : [];
  const missingPython = answer.python && resolved.row.pythons && choice.python !== answer.python ? [`Python ${answer.python}`] : [];
  const missing = [...missingRelease, ...missingPython, ...unmet.filter(([axis]) => axis !== "python").map(([axis, value]) => model.label(axis, value, platform.id))];
  if (missing.length > 0) explanations.push(say("There is no command for {what} here.", { what: both(missing) }));
  if (wantsConda(resolved)) explanations.push(condaAnswer(root));
  return explanations;
}

/** Returns a sentence on whether a platform's sources list the operating system version in a query, as a list. */
function aboutSystem({ platform, os, system, wsl, rented }) {
  if (!system || wsl || rented) return [];
  const normalized = (name) => name.toLowerCase().replace(/^win\b/, "windows").replace(/^red hat(?: enterprise linux)?/, "rhel");
  const listedSystems = (platform.operating_systems ?? []).filter((entry) => entry.os === os && !/wsl/i.test(entry.name));
  const sameSystem = listedSystems.filter(({ name }) => normalized(name).startsWith(normalized(system.name)) && /\d/.test(name));
  const generalEntry = listedSystems.find(({ name, note }) => note && /^linux\b/i.test(name));
  if (sameSystem.length === 0) return generalEntry ? [vendorText("span", "", generalEntry.note)] : [];
  const matching = sameSystem.filter((entry) => listsVersion(entry.name, system.version));
  const names = (entries) => listed(unique(entries.map(({ name }) => name)));
  if (matching.length === 0) return [say("The sources for {platform} list {others}, not {system}.", { platform: platform.name, others: names(sameSystem), system: system.text })];
  const [{ note }] = matching;
  return [[say("The sources for {platform} list {others}.", { platform: platform.name, others: names(matching) }), ...(note && matching.length === 1 ? [" ", vendorText("span", "", note)] : [])]];
}

/** Returns whether the name of a system, such as "Debian 12 or newer", includes a version. */
function listsVersion(name, version) {
  const isWithin = (detailed, general) => `${detailed}.`.startsWith(`${general}.`);
  return (name.match(/\d+(?:\.\d+)*/g) ?? []).some((listedVersion) => isWithin(listedVersion, version) || isWithin(version, listedVersion) || (/newer/.test(name) && compareVersions(version, listedVersion) > 0));
}

/** Returns a link to older releases, if a toolkit is older than every version on this site, as parts that follow a sentence. */
function olderToolkitParts(model, { id, integration }, { version }) {
  const versions = model.values("variant", id).flatMap(([, label]) => /\d+\.\d+$/.exec(label) ?? []);
  return integration === "in-tree" && versions.length > 0 && versions.every((toolkitVersion) => compareVersions(version, toolkitVersion) < 0) ? [" ", olderReleases(model)] : [];
}

/** Returns links to the commands for other systems, if neither the query nor the browser tells the system (on a phone, for example). */
function otherSystems(context, answer, { choice }) {
  const { model, system } = context;
  if (!system.isGuessed || answer.os || answer.rented) return [];
  const resolvedSystems = model.values("os").filter(([os]) => os !== choice.os).map(([os, label]) => [commandsFor(model, { ...answer, os }, system), label]);
  const links = resolvedSystems.filter(([{ row }]) => row).map(([resolved, label]) => [selectorLink(context, resolved, label)]);
  if (links.length === 0) return [];
  return [sayParts("These commands are for {system}. Commands for other systems: {links}", { system: [model.label("os", choice.os)], links: links.reduce((one, other) => sayParts("{one}, {other}", { one, other })) })];
}

/** Returns why there are no commands for the hardware, and the commands for the machine's processor instead. */
function unavailableParts(context, answer) {
  const { model, system, cpu, root, answers } = context;
  const { platform, generation, os, arch, python, versions, page } = answer;
  const parts = [];
  if (generation?.verdict === "no-command") {
    const words = generation.newest ? say("{release}, no install command on this site", { release: generation.newest }) : say("no install command on this site");
    return [element("p", "answer-runs", say("PyTorch: {words}. The platform page says how to install it.", { words }))];
  }
  const versionTexts = Object.entries(versions ?? {}).map((pair) => pair.join(" "));
  const where = [os && !versions?.[model.label("os", os)] && (model.label("os", os) || os), arch && (model.label("arch", arch) || arch), ...versionTexts].filter(Boolean);
  const runs = !generation || generation.verdict !== "none";
  const usable = answer === answers[0] ? answers.find((other) => isWorking(context, other)) : null;
  const why = generation?.reaches ? (generation.reaches === "loads" ? say("PyTorch loads on this hardware, but basic operations are reported to fail.") : say("PyTorch installs, but does not find this hardware.")) : !generation ? say("No PyTorch build in this portal runs on {where}.", { where: listed(where) }) : runs ? say("No PyTorch build in this portal for this hardware runs on {where}.", { where: listed(where) }) : usable ? say("{platform}: no build in this portal runs on this hardware.", { platform: platform.name }) : say("No PyTorch build in this portal runs on this hardware.");
  parts.push(element("p", "answer-runs runs-none", why));
  if (usable) parts.push(paragraph("answer-verdict", say("PyTorch runs on {hardware}: see the answer below ({platform}).", { hardware: nameOf(usable), platform: usable.platform.name })));
  if (page) parts.push(paragraph("answer-why", link(root + page, say("Which systems and processors PyTorch has wheels for"))));
  parts.push(...otherBuilds(root, { generation }));
  const isApple = platform.dispatch_key === "MPS" && generation?.arch !== "x86_64";
  const isIntelMac = (os ?? system.os) === "macos" && !isApple; // only Intel Macs have GPUs that are not Apple's
  const machine = isIntelMac ? { os: "macos", arch: "x86_64" } : { os, arch: arch ?? generation?.arch };
  const resolved = platform.dispatch_key === "CPU" || isApple || !cpu ? null : commandsFor(model, { platform: cpu, generation: null, ...machine, python, versions }, system);
  const script = resolved?.row ? scriptOf(model, resolved.choice, resolved.row) : resolved?.ended;
  if (!script) return parts;
  const choice = resolved.row ? buildDescription(model, resolved) : described(model, resolved.choice);
  parts.push(element("p", "answer-why", usable ? say("PyTorch also runs on the processor: {choice}.", { choice }) : say("PyTorch runs on the processor instead: {choice}.", { choice })));
  parts.push(...commandBox(script, { hasUv: Boolean(resolved.row) }));
  return parts;
}

/** Returns whether an answer has commands for an accelerator, on the requested system or for the platform of the first answer. */
function isWorking({ model, system, answers }, answer) {
  const { platform, generation } = answer;
  if (platform.dispatch_key === "CPU" || !generation || generation.verdict === "none" || generation.uncertain) return false;
  const { row, ended, choice, requestedMachine } = commandsFor(model, answer, system);
  return Boolean(row ?? ended) && !onlyInWsl(answer, choice.os) && (choice.os === requestedMachine.os || platform === answers[0].platform);
}

/** Returns the platform's entry for WSL, if its builds for a system run only in WSL and the query does not name it; else undefined. */
function onlyInWsl({ platform, wsl }, os) {
  const systems = (platform.operating_systems ?? []).filter((system) => system.os === os);
  return !wsl && systems.every(({ name }) => /wsl/i.test(name)) ? systems[0] : undefined;
}

/** Returns a link to the answer about the vendor's own builds, which have no command here, as a list. */
function otherBuilds(root, { generation }) {
  return generation?.other_builds ? [paragraph("answer-why", link(root + generation.other_builds, say("Builds of the vendor for this hardware")))] : [];
}

/** Returns what the commands install, in words; a container has its own Python, so none is named. */
function buildDescription(model, { choice, row }) {
  return listed([described(model, choice), ...(row.pythons ? [`Python ${choice.python}`] : [])]);
}

/** Returns the box with the commands and its copy button, and a note on the Python that they need. */
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

/** Returns the line with the requirements of a row and of the hardware, as a list; empty if there are none. */
function requirements({ generation }, row) {
  const needs = [...row.prerequisites, ...(generation?.jetpack ? [{ name: "JetPack", version: `>=${generation.jetpack}` }] : [])];
  if (needs.length === 0) return [];
  const needTexts = needs.map((need) => {
    const span = element("span");
    span.append(...needParts(need));
    return [markEnglish(span)];
  });
  return [paragraph("answer-needs", sayParts("Requirements: {needs}", { needs: needTexts.reduce((one, other) => sayParts("{one}, {other}", { one, other })) }))];
}

/** Returns a paragraph with a text, or with a list of texts and elements. */
function paragraph(className, parts) {
  const box = element("p", className);
  box.append(...[parts].flat());
  return box;
}

/** Returns the notes on the hardware and the commands, without duplicates. */
function notes({ platform, generation, models, wsl }, row) {
  const finding = row?.finding(row.pythons?.[0] ?? "");
  const isForMachine = (text) => !row || (generation.note_machines?.[text]?.some((machine) => `${row.os} ${row.arch} `.startsWith(`${machine} `)) ?? true);
  const vendorNotes = new Set([...(generation?.failures ?? []), ...(generation?.notes ?? []).filter(isForMachine), models.length === 1 && models[0].note, withOwnTarget(row?.note, generation)].filter(Boolean));
  if (wsl) vendorNotes.delete(platform.wsl); // is already above the commands
  const files = row?.files.length > 0 && say("These commands need files. The selector shows them.");
  const stage = row?.stage && sayParts("Lifecycle: {stage}", { stage: markEnglish(element("span", "", stageText(row.stage))) });
  const siteNotes = [finding?.kind === "none" && finding.words, stage, files].filter(Boolean);
  return [...[...vendorNotes].map((text) => vendorText("p", "note", text)), ...siteNotes.map((text) => paragraph("note", text))];
}

/** Returns a note with the card's own LLVM target in place of the example's target. */
function withOwnTarget(note, generation) {
  return /^gfx\w+$/.test(generation?.chip) ? note?.replace(/device-gfx\w+ for an? [^.,]+/, `device-${generation.chip} for this card`) : note;
}

/** Returns a link to a row in the selector; on a page with a selector, it sets that selector instead. */
function selectorLink({ home, model, openHere }, resolved, words) {
  const query = selectorQuery(model, resolved);
  const anchor = link(`${home}?${query}`, words);
  anchor.addEventListener("click", (event) => {
    if (opensHere(event) && openHere(query)) event.preventDefault();
  });
  return anchor;
}

/** Returns the title of an answer: the names of its models, or the vendor and platform. */
function nameOf({ platform, generation, models }) {
  if (!generation) return platform.dispatch_key === "CPU" ? "CPU" : `${platform.vendor}: ${platform.name}`;
  const relevantModels = models.length > 0 ? models : generation.models;
  const names = relevantModels.slice(0, MOST_MODELS).map((model) => model.name);
  if (relevantModels.length > MOST_MODELS) names.push(sayCount("{count} more", "{count} more", relevantModels.length - MOST_MODELS));
  return listed(names);
}

/** Returns the line below the title: the platform, generation, chip, memory and power of the hardware. */
function descriptionOf(answer) {
  const { platform, generation, models } = answer;
  if (!generation && platform.dispatch_key === "CPU") return say("For a computer without an accelerator.");
  if (!generation) return say("Type the name of your {vendor} hardware to see the build for it.", { vendor: platform.vendor });
  const chip = generation.chip ? `, ${platform.chip ? `${say(platform.chip)} ` : ""}${generation.chip}` : "";
  return `${platform.name}: ${say(generation.name)}${chip}${figures(models.length > 0 ? models : generation.models, answer)}`;
}

/** Returns the memory and power of a single model; "" for several models, or if the query names a laptop or another memory size. */
function figures(models, { mobile, sizes }) {
  if (models.length !== 1) return "";
  const [model] = models;
  const isMobile = /laptop|mobile|max-q|\d[MS]\b/i.test(model.name);
  if ((mobile && !isMobile) || (sizes.length > 0 && !sizes.includes(model.memory_gb))) return "";
  const parts = [model.memory_gb && `${model.memory_gb} GB${model.memory ? `, ${model.memory}` : ""}`, model.power_w && `${model.power_w} W`];
  return parts.filter(Boolean).map((part) => `, ${part}`).join("");
}

/** Returns the line with the commands that identify a platform's hardware on a system; null if there are none. */
function identifyLine(platform, os) {
  const tools = platform.identify.filter((tool) => tool.os === os).slice(0, 2);
  if (tools.length === 0) return null;
  const line = element("p", "answer-identify");
  const commands = tools.map((tool) => [element("code", "", tool.command)]);
  line.append(...sayParts("To check which hardware you have, run {commands}.", { commands: commands.reduce((one, other) => sayParts("{one} or {other}", { one, other })) }));
  return line;
}

