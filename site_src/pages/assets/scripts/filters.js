// Filters of the compute platforms: which cards are shown, said in words.

export function startFilters(form) {
  const cards = [...document.querySelectorAll(".card")];
  const state = form.querySelector(".filters-state");
  const update = () => {
    const wanted = new FormData(form);
    const shown = cards.filter((card) => matches(card, wanted));
    for (const card of cards) card.hidden = !shown.includes(card);
    state.textContent = `Showing ${shown.length} of ${cards.length} platforms.`;
  };
  form.hidden = false;
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  update();
}

function matches(card, wanted) {
  const text = wanted.get("text").trim().toLowerCase();
  const os = wanted.get("os");
  return (
    card.textContent.toLowerCase().includes(text) &&
    ["vendor", "integration"].every((key) => !wanted.get(key) || card.dataset[key] === wanted.get(key)) &&
    (!os || card.dataset.os.split(" ").includes(os))
  );
}
