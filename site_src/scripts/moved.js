// Opens the page to which the content of this page has moved, at the same element.

location.replace(new URL(document.querySelector("[data-moved]").getAttribute("href") + location.hash, location));
