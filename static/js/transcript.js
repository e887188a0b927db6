// The transcript pane: which turn is focused, folds, jumping, filters, the marks of what is cited.

let pane, list, turns, here;

const visible = (turn) => !turn.classList.contains("is-out");
const reduced = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function start(root) {
  pane = root.querySelector(".transcript");
  list = pane.querySelector(".turns");
  turns = [...list.querySelectorAll(".turn")];
  for (const turn of turns) turn.tabIndex = -1;
  // One tab stop in the whole transcript: the scroll area. Turns are reached with j and k.
  for (const button of list.querySelectorAll(".no button")) button.tabIndex = -1;
  pane.querySelector("[data-js]").hidden = false;
  here = turns.findIndex((turn) => turn.classList.contains("claim-turn"));
  if (here < 0) here = 0;
  mark();
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const jumped = target && list.contains(target) && target.id !== "claim";
  if (jumped) focusTurn(Number(target.closest(".turn").dataset.turn), false);
  else backToClaim(false);
}

function mark() {
  list.querySelectorAll(".is-here").forEach((turn) => turn.classList.remove("is-here"));
  list.querySelectorAll("[aria-current]").forEach((turn) => turn.removeAttribute("aria-current"));
  const turn = turns[here];
  if (!turn) return;
  turn.classList.add("is-here");
  turn.setAttribute("aria-current", "true");
  document.dispatchEvent(new CustomEvent("turn-focused", { detail: currentTurn() }));
}

function show(element, block = "nearest") {
  element.scrollIntoView({ block, inline: "nearest", behavior: "auto" });
}

export const currentTurn = () => (turns[here] ? Number(turns[here].dataset.turn) : null);
export const turnElement = (number) => document.getElementById(`t${number}`);
export const partsOf = (number) => JSON.parse(turnElement(number)?.dataset.parts ?? "{}");
export const allTurns = () => turns;

export function focusTurn(number, takeFocus = true) {
  const at = turns.findIndex((turn) => Number(turn.dataset.turn) === number);
  if (at < 0) return false;
  here = at;
  reveal(turns[at]);
  mark();
  if (takeFocus) turns[at].focus({ preventScroll: true });
  show(turns[at], turns[at].offsetHeight > pane.clientHeight ? "start" : "nearest");
  return true;
}

export function move(step) {
  let at = here + step;
  while (turns[at] && !visible(turns[at])) at += step;
  if (!turns[at]) return;
  here = at;
  mark();
  turns[at].focus({ preventScroll: true });
  show(turns[at], turns[at].offsetHeight > pane.clientHeight ? "start" : "nearest");
}

export function fold(open) {
  for (const details of turns[here]?.querySelectorAll("details") ?? []) details.open = open;
}

export function backToClaim(takeFocus = true) {
  const claim = list.querySelector("#claim") ?? list.querySelector(".claim-turn");
  if (!claim) return;
  here = turns.indexOf(claim.closest(".turn"));
  reveal(claim);
  mark();
  if (takeFocus) turns[here].focus({ preventScroll: true });
  show(claim, "center");
}

export function reveal(element) {
  for (let at = element.parentElement; at && at !== list; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  element.closest(".turn")?.classList.remove("is-out");
}

// Filters hide turns in this window only, and say how many.
export function filter(which, word) {
  const wanted = word.trim().toLowerCase();
  const passes = (turn) => {
    if (turn.classList.contains("claim-turn")) return true;
    if (which === "said" && !/role-(assistant|user)/.test(turn.className)) return false;
    if (which === "acts" && !turn.querySelector(".block-call, .block-output")) return false;
    if (which === "errors" && !turn.classList.contains("is-error")) return false;
    if (which.startsWith("tool:") && !(turn.dataset.tools ?? "").split("\n").includes(which.slice(5))) return false;
    return !wanted || turn.textContent.toLowerCase().includes(wanted);
  };
  const filtering = Boolean(which || wanted);
  let shown = 0;
  for (const turn of turns) {
    const out = filtering && !passes(turn);
    turn.classList.toggle("is-out", out);
    if (!out) shown += 1;
  }
  list.toggleAttribute("data-hiding", filtering);
  const count = pane.querySelector("[data-count]");
  const format = new Intl.NumberFormat("en");
  count.textContent = `${format.format(shown)} of ${format.format(turns.length)} turns shown`;
  count.classList.toggle("is-filtered", shown < turns.length);
}

export function markCited(roles) {
  for (const turn of list.querySelectorAll(".is-cited")) {
    turn.classList.remove("is-cited");
    turn.querySelector(".role").textContent = "";
  }
  for (const [number, role] of roles) {
    const turn = turnElement(number);
    if (!turn) continue;
    turn.classList.add("is-cited");
    const note = turn.querySelector(".role");
    note.textContent = note.textContent ? `${note.textContent}, ${role || "cited"}` : role || "cited";
  }
}

export function markSpan(from, to) {
  for (const turn of turns) {
    const number = Number(turn.dataset.turn);
    turn.classList.toggle("is-span", from !== null && to !== null && number >= from && number <= to);
  }
}

export { reduced };
