// Filters: above each long table, and above the sections of a page that has many. What stays has all words. Without
// this script everything is there.
"use strict";
(() => {
  const ROWS = 25, SECTIONS = 60;

  // A box before an element, which hides items: arrays of elements that stay or go together.
  function filtered(before, items, name) {
    const texts = items.map((parts) => parts.map((part) => part.textContent).join("\n").toLowerCase());
    const box = document.createElement("div");
    const input = document.createElement("input");
    const count = document.createElement("output");
    box.className = "filter";
    Object.assign(input, { type: "search", placeholder: "Filter these " + items.length + " " + name });
    input.setAttribute("aria-label", input.placeholder);
    const filter = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const stays = texts.map((text) => words.every((word) => text.includes(word)));
      items.forEach((parts, number) => parts.forEach((part) => { part.hidden = !stays[number]; }));
      count.textContent = stays.filter(Boolean).length + " of " + items.length;
    };
    input.addEventListener("input", filter);
    filter();
    box.append(input, count);
    before.before(box);
  }

  const heads = [...document.querySelectorAll("article > h2")];
  if (heads.length >= SECTIONS) {
    const sections = heads.map((head) => {
      const parts = [head];
      for (let next = head.nextElementSibling; next && next.tagName !== "H2"; next = next.nextElementSibling) parts.push(next);
      return parts;
    });
    filtered(heads[0], sections, "sections");
  }
  for (const table of document.querySelectorAll("article table")) {
    const rows = [...table.querySelectorAll("tbody tr")];
    if (rows.length >= ROWS) filtered(table.closest(".md-typeset__scrollwrap") || table, rows.map((row) => [row]), "rows");
  }
})();
