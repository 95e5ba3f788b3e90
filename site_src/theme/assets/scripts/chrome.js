// The page's frame: what Material leaves to the mouse, for the keyboard and the screen reader too.
// Everything here also works, less comfortably, without scripts.

const button = (name) => document.querySelector(`[data-opens="${name}"]`);
const toggle = (name) => document.getElementById(`__${name}`);

// Material keeps "the menu is open" and "the search is open" in two hidden checkboxes.
for (const name of ["drawer", "search"]) {
  const opener = button(name);
  const state = toggle(name);
  if (!opener || !state) continue;
  opener.addEventListener("click", () => state.click());
  state.addEventListener("change", () => {
    opener.setAttribute("aria-expanded", String(state.checked));
    // Whatever was closed from the keyboard gives the focus back.
    if (!state.checked && opener.checkVisibility()) opener.focus({ preventScroll: true });
  });
}

const drawer = toggle("drawer");
const menu = document.querySelector(".md-sidebar--primary");
if (drawer && menu) {
  drawer.addEventListener("change", () => {
    if (drawer.checked) menu.querySelector(".md-nav__list a")?.focus({ preventScroll: true });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && drawer.checked) drawer.click();
  });
  // Tabbing out of the open menu would wander through the page behind it.
  document.addEventListener("focusin", ({ target }) => {
    if (drawer.checked && !menu.contains(target) && target !== button("drawer")) drawer.click();
  });
}

// Sections of the menu: Material names them after a label that holds only an icon.
for (const section of document.querySelectorAll(".md-nav[aria-labelledby]")) {
  section.setAttribute("aria-label", section.querySelector(".md-nav__title").textContent.trim());
  section.removeAttribute("aria-labelledby");
  section.removeAttribute("aria-expanded"); // not for landmarks
}

// Material puts hand-written tables into a box that scrolls sideways. A keyboard must be able to scroll it.
const makeScrollable = () => {
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap")) {
    if (box.scrollWidth <= box.clientWidth) {
      for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
      continue;
    }
    const title = box.querySelector("caption") ?? box.querySelector("th");
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", `Table: ${title?.textContent.trim() ?? "scrolls sideways"}`);
  }
};
addEventListener("resize", makeScrollable, { passive: true });

// Once Material's script has done its work:
addEventListener("load", () => {
  makeScrollable();
  // A button to copy is no landmark.
  for (const nav of document.querySelectorAll("nav.md-code__nav")) nav.setAttribute("role", "none");
});

// The search takes a word before a colon for the name of a field, and leaves it out: "libhccl.so: cannot open".
const searched = document.querySelector("[data-md-component=search-query]");
searched?.addEventListener("input", () => {
  if (!/[:~^]/.test(searched.value)) return;
  const { selectionStart, selectionEnd } = searched;
  searched.value = searched.value.replace(/[:~^]/g, " ");
  searched.setSelectionRange(selectionStart, selectionEnd);
});
