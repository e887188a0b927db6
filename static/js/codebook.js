// The search of the codebook while one types: the same entries, counts and words as the server's own, without asking it.

const form = document.querySelector("[data-search]");
const told = document.querySelector("[data-found]");
const entries = [...document.querySelectorAll("[data-entry]")].map((element) => ({ element, texts: textsOf(element) }));
const sections = [...document.querySelectorAll("[data-section]")];
let clean = false;

function textsOf(element) {
  return [...element.querySelectorAll("[data-t]")].map((one) => ({ one, text: one.textContent }));
}

function wordsOf(query) {
  const parts = [...query.slice(0, 200).matchAll(/"([^"]+)"|([^\s"]+)/g)].map((found) => (found[1] ?? found[2]).split(/\s+/).filter(Boolean).join(" "));
  const kept = new Map();
  for (const part of parts) if (part && !kept.has(part.toLowerCase())) kept.set(part.toLowerCase(), part);
  return [...kept.values()].sort((a, b) => b.length - a.length);
}

// The server's marks go with the first key: from then on the script draws its own, which leave the text alone.
function unmark() {
  for (const mark of document.querySelectorAll("[data-book] mark")) mark.replaceWith(mark.textContent);
  for (const { texts } of entries) for (const { one } of texts) one.normalize();
  document.querySelector("[data-all]")?.remove();
  clean = true;
}

function placesIn({ one, text }, pattern) {
  const node = one.firstChild;
  return [...text.matchAll(pattern)].map((found) => [node, found.index, found.index + found[0].length]);
}

function look() {
  if (!clean) unmark();
  const words = wordsOf(form.elements.q.value);
  const pattern = words.length ? new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "giu") : null;
  const ranges = [];
  let places = 0;
  let hits = 0;
  for (const { element, texts } of entries) {
    const whole = texts.map(({ text }) => text).join("\n").toLowerCase();
    const holds = words.every((word) => whole.includes(word.toLowerCase()));
    element.classList.toggle("is-out", !holds);
    if (!holds || !pattern) continue;
    hits += 1;
    for (const text of texts) {
      const found = placesIn(text, pattern);
      places += found.length;
      for (const [node, start, end] of found) if (ranges.length < 5000 && node?.nodeType === Node.TEXT_NODE && end <= node.length) ranges.push(rangeOf(node, start, end));
    }
  }
  for (const section of sections) section.classList.toggle("is-out", ![...section.querySelectorAll("[data-entry]")].some((one) => !one.classList.contains("is-out")));
  if ("highlights" in CSS) CSS.highlights.set("found", new Highlight(...ranges));
  told.textContent = say(words, places, hits);
  if (location.hash) location.replace("#"); // what a link led to is no longer asked for
  remember(words.length ? form.elements.q.value : "");
  if (hits) show(entries.find(({ element }) => !element.classList.contains("is-out")).element);
}

function show(element) {
  const { top } = element.getBoundingClientRect();
  if (top < 0 || top > window.innerHeight) element.scrollIntoView();
}

function rangeOf(node, start, end) {
  const range = document.createRange();
  range.setStart(node, start);
  range.setEnd(node, end);
  return range;
}

function say(words, places, hits) {
  if (!words.length) return "";
  if (!hits) return `Nothing in this codebook holds ${words.length > 1 ? "these words" : "this word"}.`;
  const number = (n) => n.toLocaleString("en");
  return `${number(places)} ${places === 1 ? "place" : "places"} in ${number(hits)} ${hits === 1 ? "entry" : "entries"}; the rest is out of sight.`;
}

// The address tells what was looked for, so that a reload or a sent link shows the same.
function remember(query) {
  const address = new URL(location.href);
  if (query) address.searchParams.set("q", query);
  else address.searchParams.delete("q");
  address.hash = "";
  history.replaceState(history.state, "", address);
}

if (form && told) {
  form.elements.q.addEventListener("input", look);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    look();
  });
}
