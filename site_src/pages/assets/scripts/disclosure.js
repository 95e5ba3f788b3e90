// Opens what a link leads into: most browsers do that on their own, and some do not.

let printing = false;

export function startDisclosure() {
  // Material opens every part for printing; on paper stand those that the reader opened.
  addEventListener("toggle", remember, true);
  addEventListener("beforeprint", () => (printing = true));
  addEventListener("afterprint", () => (printing = false));
  reveal();
  addEventListener("hashchange", reveal);
  addEventListener("click", ({ target }) => {
    // The same link a second time changes no address.
    if (target.closest?.("a[href^='#']")) setTimeout(reveal);
  });
}

function remember({ target }) {
  if (printing || matchMedia("print").matches || target.localName !== "details") return;
  target.toggleAttribute("data-opened", target.open);
}

function reveal() {
  const target = document.getElementById(decoded(location.hash.slice(1)));
  if (target?.closest("[data-forward]")) {
    location.replace(target.href); // what once stood here has a page of its own
    return;
  }
  const closed = [];
  for (let box = target?.closest("details"); box; box = box.parentElement.closest("details")) {
    if (!box.open) closed.push(box);
  }
  if (closed.length === 0) return;
  for (const box of closed) box.open = true;
  target.scrollIntoView();
}

/** Anybody may write an address. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
