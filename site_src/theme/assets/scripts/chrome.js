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

const searched = document.querySelector("[data-md-component=search-query]");

// The search loads what each query needs while the reader types it: see search.js.
const { search: worker } = JSON.parse(document.getElementById("__config").textContent);
const opened = () => new BroadcastChannel(new URL(worker, location.href).pathname).postMessage("");
searched?.addEventListener("focus", opened, { once: true });

/** What a reader searches for, as the search takes it. */
function asQuery(text) {
  // It takes a word before a colon for the name of a field, and leaves it out: "libhccl.so: cannot open".
  // It separates Chinese words from each other, but not from Latin ones: "昇腾910B".
  return text.replace(/[:~^]/g, " ").replace(/(?<=\p{sc=Han})(?=[a-z\d])|(?<=[a-z\d])(?=\p{sc=Han})/giu, " ");
}

function search({ isComposing }) {
  if (isComposing) return; // an input method still changes the text
  const { value, selectionStart, selectionEnd } = searched;
  const query = asQuery(value);
  if (query !== value) {
    searched.value = query;
    searched.setSelectionRange(...[selectionStart, selectionEnd].map((end) => asQuery(value.slice(0, end)).length));
  }
  searched.dispatchEvent(new Event("keyup")); // Material listens only to keys, not to text that is pasted with the mouse or dictated
  offerPages(value.trim());
}
for (const event of ["input", "compositionend"]) searched?.addEventListener(event, search);

// An error message leads to the page of questions, which finds its answer. The box of the search keeps neither line breaks
// nor colons: while it has only what was pasted, the link takes the text as it was.
const ERROR = /traceback|\b(?:error|exception|failed|fatal|warning)\b|(?:Error|Exception)\b|_(?:ERROR|STATUS)_|\bE[A-Z]\d{4}\b/i;
const LONGEST = 2000; // characters of an address; the last ones have the error
let pasted = "";
searched?.addEventListener("paste", ({ clipboardData }) => (pasted = clipboardData.getData("text")));
const words = (text) => asQuery(text).replace(/\s+/g, "");
const asked = () => (words(pasted) === words(searched.value) ? pasted : searched.value).trim().slice(-LONGEST);

// The card finder knows names such as "GTX 1060", of which the search finds only parts.
const LONGEST_NAME = 60; // longer texts are messages
// A number as in "RTX 3060", "Arc B580" or "Raspberry Pi 5"; not one as in "2.1.2 cu118" or "resnet50".
const CARD = /(?:^|\s)(?!cu\d)(?:\d{1,4}[a-z]{0,3}|[a-z]{1,2}\d{1,2}[a-z]?|[a-z]{1,4}\d{3,4}[a-z]{0,3})(?:\s|$)/i;
const finderWords = document.querySelector(".search-lead.to-finder-page")?.textContent;

function offerPages(query) {
  const [questions, finder] = document.querySelectorAll(".search-lead");
  questions.hidden = !ERROR.test(query);
  questions.search = new URLSearchParams({ text: asked() });
  finder.hidden = !questions.hidden || !CARD.test(query) || query.length > LONGEST_NAME;
  finder.search = new URLSearchParams({ card: query });
  finder.textContent = finderWords.replace("{query}", () => query);
}

// The page of questions answers what was searched for.
document.addEventListener(
  "click",
  ({ target }) => {
    const link = target.closest?.(".md-search-result__link");
    if (link?.pathname.endsWith("/questions/") && !link.hash) link.search = new URLSearchParams({ text: asked() });
  },
  true, // before Material follows the link
);

// A line offers the page in the language that the reader chose before, or else in that of the browser. Nothing changes by
// itself: the reader follows the line, or it is not shown again.
const LANGUAGE = "accelerator-portal.language";
const versions = [...document.querySelectorAll("a.language")];
const chooseLanguage = (code) => {
  try {
    localStorage.setItem(LANGUAGE, code);
  } catch {
    // Some readers forbid it; then the line is shown again.
  }
};
const chosenLanguage = () => {
  try {
    return localStorage.getItem(LANGUAGE);
  } catch {
    return null;
  }
};
const offerLanguage = () => {
  const here = document.documentElement.lang;
  const known = [here, ...versions.map(({ hreflang }) => hreflang)];
  const wanted = chosenLanguage() ?? navigator.languages.map((name) => name.split("-")[0]).find((name) => known.includes(name));
  const version = versions.find(({ hreflang }) => hreflang === wanted);
  if (!version) return;
  const line = document.createElement("p");
  Object.assign(line, { className: "language-offer", lang: wanted });
  const link = document.createElement("a");
  Object.assign(link, { href: version.href, hreflang: wanted, textContent: version.textContent });
  const close = document.createElement("button");
  Object.assign(close, { type: "button", className: "link", textContent: version.dataset.dismiss });
  close.addEventListener("click", () => {
    chooseLanguage(here);
    line.remove();
  });
  line.append(version.dataset.offer, " ", link, " ", close);
  document.querySelector(".md-content__inner")?.prepend(line);
};
offerLanguage();
// The other version shows the same choices: of the selector, of a message, of a place on the page.
document.addEventListener("click", ({ target }) => {
  const link = target.closest?.("a.language, .language-offer a");
  if (!link) return;
  chooseLanguage(link.hreflang);
  Object.assign(link, { search: location.search, hash: location.hash });
});
