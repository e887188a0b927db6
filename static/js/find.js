// Find in the transcript: counts every hit, opens the folds it stands in, remembers what was looked for.

import { allTurns, currentTurn, focusTurn, reveal } from "./transcript.js";

const searched = [];
let ranges = [];
let at = -1;
let timer;

export const listSearches = () => [...searched];

export function start(root) {
  ranges = [];
  at = -1;
  const input = root.querySelector("[data-find]");
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => run(root, input.value), 120);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      clearTimeout(timer);
      if (!ranges.length) run(root, input.value);
      step(root, event.shiftKey ? -1 : 1);
      remember(input.value);
      // Out of the box, so that n and N walk on.
      if (ranges.length) focusTurn(currentTurn());
    }
  });
  input.addEventListener("change", () => remember(input.value));
  for (const button of root.querySelectorAll("[data-hit]")) {
    button.addEventListener("click", () => step(root, Number(button.dataset.hit)));
  }
}

function remember(text) {
  const words = text.trim();
  if (words && !searched.includes(words)) searched.push(words);
}

function textNodes(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}

// Hits may run across elements (a marked claim, a coloured word), so a turn's body is searched as one text.
function hitsIn(turn, wanted) {
  const body = turn.querySelector(".body");
  if (!body.textContent.toLowerCase().includes(wanted)) return [];
  const nodes = textNodes(body);
  const text = nodes.map((node) => node.data).join("").toLowerCase();
  const found = [];
  let node = 0;
  let before = 0;
  for (let start = text.indexOf(wanted); start >= 0; start = text.indexOf(wanted, start + wanted.length)) {
    while (before + nodes[node].length <= start) before += nodes[node++].length;
    const range = document.createRange();
    range.setStart(nodes[node], start - before);
    let last = node;
    let lastBefore = before;
    while (lastBefore + nodes[last].length < start + wanted.length) lastBefore += nodes[last++].length;
    range.setEnd(nodes[last], start + wanted.length - lastBefore);
    found.push(range);
  }
  return found;
}

function run(root, text) {
  const wanted = text.trim().toLowerCase();
  at = -1;
  ranges = wanted ? allTurns().flatMap((turn) => hitsIn(turn, wanted)) : [];
  paint();
  tell(root, wanted);
}

function paint() {
  if (!("highlights" in CSS)) return;
  CSS.highlights.set("hits", new Highlight(...ranges.slice(0, 5000)));
  CSS.highlights.set("hit", new Highlight(...(ranges[at] ? [ranges[at]] : [])));
}

function tell(root, wanted) {
  const box = root.querySelector("[data-hits]");
  if (!wanted) box.textContent = "";
  else if (!ranges.length) box.textContent = "no hit";
  else box.textContent = at < 0 ? `${ranges.length} hits` : `${at + 1} of ${ranges.length}`;
}

export function step(root, direction) {
  if (!ranges.length) return;
  at = (at + direction + ranges.length) % ranges.length;
  if (at === ranges.length - 1 && direction < 0 && ranges.length > 1 && at < 0) at = ranges.length - 1;
  const element = ranges[at].startContainer.parentElement;
  reveal(element);
  focusTurn(Number(element.closest(".turn").dataset.turn), false);
  const box = ranges[at].getBoundingClientRect();
  const scroll = root.querySelector("[data-scroll]");
  const frame = scroll.getBoundingClientRect();
  if (box.top < frame.top + 20 || box.bottom > frame.bottom - 20) scroll.scrollTop += box.top - frame.top - frame.height / 2;
  paint();
  tell(root, root.querySelector("[data-find]").value.trim());
}
