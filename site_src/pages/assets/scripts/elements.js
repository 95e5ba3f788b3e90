// Making elements: text is always text, never markup. Texts are messages, which pages in other languages translate.

/** What the language of the page brings: the texts of scripts, and the addresses of translated pages. */
const box = globalThis.document?.getElementById("messages");
const { texts, pages } = box ? await messages(box.dataset.file) : { texts: {}, pages: [] };

/** A message in the language of the page; each `{name}` in it stands for a value. English pages bring no messages. */
export function say(text, values = {}) {
  return filled(translated(text) ?? text, values);
}

/** The message for a count. */
export function sayCount(one, many, count, values = {}) {
  const rules = new Intl.PluralRules(document.documentElement.lang);
  const own = rules.resolvedOptions().pluralCategories;
  const forms = ["zero", "one", "two", "few", "many", "other"].filter((name) => own.includes(name));
  const texts = translated(one) ?? [one, many];
  return filled(texts[forms.indexOf(rules.select(count))] ?? many, { count, ...values });
}

/** A message as a list of nodes and texts; its values are such lists. */
export function sayParts(text, values) {
  return say(text).split(/\{(\w+)\}/).flatMap((part, place) => (place % 2 ? values[part] : part));
}

/** Texts as a sentence names them: "a and b". */
export function both([first = "", ...others]) {
  return others.reduce((one, other) => say("{one} and {other}", { one, other }), first);
}

/** Texts as a list: "a, b". */
export function listed([first = "", ...others]) {
  return others.reduce((one, other) => say("{one}, {other}", { one, other }), first);
}

/** Whole sentences, one after the other. */
export function sentences([first = "", ...others]) {
  return others.reduce((one, other) => say("{one} {other}", { one, other }), first);
}

async function messages(file) {
  try {
    return await (await fetch(file)).json();
  } catch (error) {
    console.info("messages:", error); // the texts are English then
    return { texts: {}, pages: [] };
  }
}

function translated(text) {
  return Object.hasOwn(texts, text) ? texts[text] : undefined;
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** A vendor's text: translated, or else in English on every page. */
export function vendorText(tag, className, text) {
  return markEnglish(element(tag, className, translated(text) ?? text));
}

/** On a page in another language, mark an element as English, unless its text is translated: it has letters of another script. */
export function markEnglish(made) {
  if (document.documentElement.lang === "en") return made;
  if (/[^\P{Letter}\p{Script=Latin}]/u.test(made.textContent)) made.removeAttribute("lang");
  else made.lang = "en";
  return made;
}

export function link(href, text) {
  const made = element("a", "", text);
  setAddress(made, href);
  return made;
}

/** Let a link lead to a page in the language of this one; if there is none, it says so. */
export function setAddress(made, href) {
  const root = box?.dataset.root;
  made.href = href;
  if (!root || !href.startsWith(root)) return;
  const [path] = href.slice(root.length).split(/[?#]/);
  const { lang } = document.documentElement;
  if (pages.some((page) => (page.includes("*") ? path.startsWith(page.split("*")[0]) : path === page))) made.href = `${root}${lang}/${href.slice(root.length)}`;
  else made.dataset.language = say("{title} (English)", { title: "" });
}

/** Set a text; what already stands there is left alone, so that nothing is read out again. */
export function setText(box, text) {
  if (box.textContent !== text) box.textContent = text;
}
