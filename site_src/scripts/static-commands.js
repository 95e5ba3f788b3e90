// Replaces the install selector by the static table of commands, which pages have for readers without scripts.

/** Hides all of a selector but its status, and shows the tables of commands on the page, open. */
export function showStaticCommands(form) {
  form.classList.add("has-failed");
  form.removeAttribute("aria-busy");
  document.querySelectorAll(".static-commands").forEach((table) => {
    table.classList.add("is-needed");
    table.open = true;
  });
}
