// Makes copy buttons work: a button copies the text of the box beside it.

import { say } from "./elements.js";

const MESSAGE_MS = 2000;

/** Makes the copy buttons of a form work, also those that are added later. */
export function startCopying(form) {
  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) copy(button, sourceOf(form, button));
  });
}

/** Returns the element whose text a button copies: a part of the form that it names, or the element before it. */
function sourceOf(form, button) {
  const { copy: name } = button.dataset;
  return name === "script" || name === "commands" ? form.querySelector(`[data-part=${name}]`) : button.previousElementSibling;
}

/** Copies the text of an element and shows the result on the button for a short time. */
async function copy(button, source) {
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    getSelection().selectAllChildren(source); // without permission for the clipboard, select the text
    isCopied = document.execCommand("copy");
  }
  const label = button.dataset.label ?? button.textContent;
  const message = isCopied ? say("Copied") : say("Selected: press Ctrl+C");
  button.dataset.label = label;
  button.textContent = message;
  setTimeout(() => {
    if (button.textContent === message) button.textContent = label; // or else the choice has changed and the button has a new label
    delete button.dataset.label;
  }, MESSAGE_MS);
}
