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

/** Set a text; what already stands there is left alone, so that nothing is read out again. */
export function setText(box, text) {
  if (box.textContent !== text) box.textContent = text;
}
