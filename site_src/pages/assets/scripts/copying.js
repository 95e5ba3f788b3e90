// Copy buttons: what stands in the box beside the button.

import { say } from "./elements.js";

const SHOWN_MS = 2000;

/** Let the form's copy buttons work, those too that come later. */
export function startCopying(form) {
  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) copy(button, source(form, button));
  });
}

/** The element whose text a button copies: a named part of the form, or its own neighbor. */
function source(form, button) {
  const { copy: name } = button.dataset;
  return name === "script" || name === "commands" ? form.querySelector(`[data-part=${name}]`) : button.previousElementSibling;
}

async function copy(button, box) {
  let done = true;
  try {
    await navigator.clipboard.writeText(box.textContent);
  } catch {
    getSelection().selectAllChildren(box); // without the permission, at least mark what to copy
    done = document.execCommand("copy");
  }
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  button.textContent = done ? say("Copied") : say("Selected: press Ctrl+C");
  setTimeout(() => {
    button.textContent = label;
    delete button.dataset.label;
  }, SHOWN_MS);
}
