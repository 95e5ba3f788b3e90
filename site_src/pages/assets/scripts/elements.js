// Making elements: text is always text, never markup. Texts are messages, which pages in other languages translate.

let messages = null;

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

function translated(text) {
  messages ??= JSON.parse(document.getElementById("messages")?.dataset.texts ?? "{}");
  return messages[text];
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

export function link(href, text) {
  const made = element("a", "", text);
  made.href = href;
  const isHome = /^(?:\.\/)?\?/.test(href); // of the pages that scripts link, other languages have this one only
  if (document.documentElement.lang !== "en" && !isHome) made.dataset.language = say("{title} (English)", { title: "" });
  return made;
}

/** Set a text; what already stands there is left alone, so that nothing is read out again. */
export function setText(box, text) {
  if (box.textContent !== text) box.textContent = text;
}
