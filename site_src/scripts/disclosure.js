// Opens the closed `details` elements around the target of a link, which some browsers do not do.

let isPrinting = false;

export function startDisclosure() {
  // Material opens all disclosures for printing. The print styles show only those that the reader opened.
  addEventListener("toggle", markOpened, true);
  addEventListener("beforeprint", () => (isPrinting = true));
  addEventListener("afterprint", () => (isPrinting = false));
  openTarget();
  addEventListener("hashchange", openTarget);
  addEventListener("click", ({ target }) => {
    // A second click on the same link does not change the address, so there is no hashchange event.
    if (target.closest?.("a[href^='#']")) setTimeout(openTarget);
  });
}

function markOpened({ target }) {
  if (isPrinting || matchMedia("print").matches || target.localName !== "details") return;
  target.toggleAttribute("data-opened", target.open);
}

function openTarget() {
  const target = document.getElementById(decoded(location.hash.slice(1)));
  if (target?.closest("[data-forward]")) {
    location.replace(target.href); // the content has moved to its own page
    return;
  }
  const closedBoxes = [];
  for (let box = target?.closest("details"); box; box = box.parentElement.closest("details")) {
    if (!box.open) closedBoxes.push(box);
  }
  if (closedBoxes.length === 0) return;
  for (const box of closedBoxes) box.open = true;
  target.scrollIntoView();
}

/** Decode a text, or return it as it is, as anyone can write an invalid address. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
