// Making elements: text is always text, never markup.

export function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

export function link(href, text) {
  const made = element("a", "", text);
  made.href = href;
  return made;
}
