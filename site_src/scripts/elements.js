// Creates page elements and translates messages. Texts are inserted as text, never as markup.

/** The translated texts, by the English one, and the paths of translated pages; English pages have none. */
const messagesBox = globalThis.document?.getElementById("messages");
const { texts, pages } = messagesBox ? await readMessages(messagesBox.dataset.file) : { texts: {}, pages: [] };

/** Returns a message in the language of the page; `values` replace each `{name}` in it. */
export function say(text, values = {}) {
  return filled(translated(text) ?? text, values);
}

/** Returns the message for a count in the language of the page; `{count}` in it is replaced by the count. */
export function sayCount(singular, plural, count, values = {}) {
  const rules = new Intl.PluralRules(document.documentElement.lang);
  const categories = rules.resolvedOptions().pluralCategories;
  const forms = ["zero", "one", "two", "few", "many", "other"].filter((name) => categories.includes(name));
  const translations = translated(singular) ?? [singular, plural];
  return filled(translations[forms.indexOf(rules.select(count))] ?? plural, { count, ...values });
}

/** Returns a message as a list of nodes and texts; each value is such a list, or one node. */
export function sayParts(text, values) {
  return say(text).split(/\{(\w+)\}/).flatMap((part, index) => (index % 2 ? values[part] : part));
}

/** Joins texts with "and": "a and b". */
export function both([first = "", ...others]) {
  return others.reduce((one, other) => say("{one} and {other}", { one, other }), first);
}

/** Joins texts with commas: "a, b". */
export function listed([first = "", ...others]) {
  return others.reduce((one, other) => say("{one}, {other}", { one, other }), first);
}

/** Joins whole sentences. */
export function sentences([first = "", ...others]) {
  return others.reduce((one, other) => say("{one} {other}", { one, other }), first);
}

/** Reads the file with the messages of the page's language. */
async function readMessages(file) {
  try {
    return await (await fetch(file)).json();
  } catch (error) {
    console.info("messages:", error); // the texts stay English
    return { texts: {}, pages: [] };
  }
}

/** Returns the translation of a text: a list of plural forms for a count; undefined if there is none. */
function translated(text) {
  return Object.hasOwn(texts, text) ? texts[text] : undefined;
}

/** Replaces each `{name}` in a text by its value; leaves names without a value. */
function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder);
}

/** Returns a new element with a class and a text. */
export function element(tag, className = "", text = "") {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
}

/** Returns an element with a vendor's text: its translation, or else the English text, marked as English. */
export function vendorText(tag, className, text) {
  return markEnglish(element(tag, className, translated(text) ?? text));
}

/** On pages in other languages, marks an element as English, unless its text is translated (has letters of another script). */
export function markEnglish(node) {
  if (document.documentElement.lang === "en") return node;
  if (/[^\P{Letter}\p{Script=Latin}]/u.test(node.textContent)) node.removeAttribute("lang");
  else node.lang = "en";
  return node;
}

/** Returns a link; on a page in another language, it leads to the page in that language if there is one. */
export function link(href, text) {
  const anchor = element("a", "", text);
  setAddress(anchor, href);
  return anchor;
}

/** Sets the address of a link to the page in the language of this one; if there is none, the link says that it is in English. */
export function setAddress(node, href) {
  const root = messagesBox?.dataset.root;
  node.href = href;
  if (!root || !href.startsWith(root)) return;
  const [path] = href.slice(root.length).split(/[?#]/);
  const { lang } = document.documentElement;
  if (pages.some((page) => (page.includes("*") ? path.startsWith(page.split("*")[0]) : path === page))) node.href = `${root}${lang}/${href.slice(root.length)}`;
  else node.dataset.language = say("{title} (English)", { title: "" });
}

/** Returns whether a click on a link opens it in the same tab, so that a script can show the content instead. */
export function opensHere(click) {
  return click.button === 0 && !click.metaKey && !click.ctrlKey && !click.shiftKey && !click.altKey;
}

/** Sets the text of a node if it differs, so that screen readers do not read the same text again. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
