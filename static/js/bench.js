// The workbench wakes up: everything here only speeds up what the plain form can do.

import * as activity from "./activity.js";
import * as drafts from "./drafts.js";
import * as find from "./find.js";
import * as form from "./form.js";
import * as messages from "./messages.js";
import * as split from "./split.js";
import * as transcript from "./transcript.js";

const root = document;
const $ = (selector) => root.querySelector(selector);
let saving = false;

// What happened, for those who hear the page and for those who see it.
function say(words) {
  if (!words) return;
  $("[data-say]").textContent = words;
  const seen = $("[data-said]");
  if (seen) seen.textContent = words;
}

function quiet() {
  const seen = $("[data-said]");
  if (seen?.textContent) seen.textContent = "";
}

function start(said) {
  transcript.start(root);
  find.start(root);
  split.start(root);
  activity.start(root);
  form.start(root);
  messages.start(root);
  drafts.start(root, said);
  if (location.pathname.startsWith("/adjudicate/")) $("[data-form]").dataset.draft = "off";
  wire();
}

function wire() {
  for (const plain of root.querySelectorAll("[data-plain]")) plain.hidden = true;
  $("[data-form]").addEventListener("submit", onSubmit);
  const narrow = () => transcript.filter($("[data-filter]").value, $("[data-touch]").value);
  $("[data-filter]").addEventListener("change", narrow);
  $("[data-touch]").addEventListener("input", narrow);
  $(".turns").addEventListener("click", (event) => {
    const turn = event.target.closest(".turn");
    if (event.target.closest(".no button")) {
      event.preventDefault();
      transcript.focusTurn(Number(turn.dataset.turn), false);
      say(form.cite(Number(turn.dataset.turn)));
    } else if (turn && !event.target.closest("a, summary") && !String(getSelection())) {
      transcript.focusTurn(Number(turn.dataset.turn), false);
    }
  });
  $("#messages")?.focus({ preventScroll: true });
}

addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href^="#t"], a[data-claim-link], a[href="#claim"]');
  if (!link) return;
  event.preventDefault();
  showTranscript(true);
  if (/^#t\d+$/.test(link.hash)) transcript.focusTurn(Number(link.hash.slice(2)));
  else transcript.backToClaim();
});

async function onSubmit(event) {
  const button = event.submitter;
  const action = button?.name === "action" ? button.value : "";
  if (!["save", "provisional", "decide"].includes(action)) return;
  event.preventDefault();
  if (saving) return;
  saving = true;
  button.setAttribute("aria-busy", "true");
  const result = await drafts.save(action);
  saving = false;
  button.removeAttribute("aria-busy");
  if (result?.refused) refuse(result.refused);
  else if (result) go(result, action);
  else say($("[data-state]").textContent);
}

// The answer of the server replaces the form pane; the transcript stays where it was.
function refuse(page) {
  const at = $("[data-form-scroll]").scrollTop;
  $("#claim-pane").replaceWith(document.adoptNode(page.querySelector("#claim-pane")));
  activity.start(root);
  form.start(root);
  drafts.start(root);
  drafts.markUnkept();
  for (const plain of root.querySelectorAll("[data-plain]")) plain.hidden = true;
  $("[data-form]").addEventListener("submit", onSubmit);
  $("[data-form-scroll]").scrollTop = at;
  $("#messages")?.focus({ preventScroll: true });
  messages.start(root);
}

const DONE = {
  save: (position) => `${position} saved ✓`,
  provisional: () => "provisional verdict committed ✓; now decide",
  decide: (position) => `${position} decided ✓`,
};

function go({ page, url }, action) {
  if (!page.querySelector("[data-form]")) {
    location.assign(url);
    return;
  }
  const position = $(".progress").textContent.trim().split("·")[0].trim();
  document.title = page.title;
  const body = document.adoptNode(page.body);
  history.pushState({}, "", url);
  document.body.replaceWith(body);
  const done = DONE[action](position);
  start(done);
  const feedback = $("#feedback");
  const pane = feedback ?? $("#codings") ?? $("#claim-pane");
  pane.focus({ preventScroll: true });
  const now = feedback ?? $(".claim-card h1");
  $("[data-say]").textContent = `${done}. ${$(".progress").textContent.trim()}. ${now.textContent}`;
}

addEventListener("popstate", () => location.reload());
addEventListener("pagehide", drafts.flush);
addEventListener("visibilitychange", () => document.hidden && drafts.flush());

// ---- keys ----------------------------------------------------------------------------------------------------------

function showTranscript(on) {
  const sheet = $("[data-sheet]");
  if (sheet && sheet.offsetParent) sheet.checked = on ?? !sheet.checked;
}

function step(direction) {
  $(`[data-step="${direction}"]`)?.click();
}

const commands = {
  j: () => transcript.move(1),
  k: () => transcript.move(-1),
  h: () => transcript.fold(false),
  l: () => transcript.fold(true),
  b: () => transcript.backToClaim(),
  g: () => $("[data-go]").focus(),
  "/": () => ($("[data-find]").focus(), $("[data-find]").select()),
  n: () => find.step(root, 1),
  N: () => find.step(root, -1),
  e: () => say(form.cite(transcript.currentTurn())),
  r: () => say(form.changeRole(transcript.currentTurn())),
  s: () => say(form.span(transcript.currentTurn())),
  d: () => form.define(),
  m: () => form.goto(form.named("text", "note")),
  f: () => form.goto(form.named("flags", "flags")),
  t: () => showTranscript(),
  p: () => say(form.earlier()),
  u: () => say(form.takeBack()),
  "[": () => step(-1),
  "]": () => step(1),
  "?": () => ($("[data-keys]").open = !$("[data-keys]").open),
};
const EDITING = new Set(["e", "r", "s", "d", "m", "f", "p", "u"]);

const isTyping = (element) => element?.matches?.('textarea, select, input:not([type="radio"], [type="checkbox"])');

function onEscape(event) {
  // A search field would clear itself: what was looked for stays, so that n and N go on.
  if (event.target.matches?.("[type=search]")) event.preventDefault();
  for (const open of root.querySelectorAll(".strip details[open]")) open.open = false;
  if (isTyping(document.activeElement)) {
    document.activeElement.blur();
    transcript.focusTurn(transcript.currentTurn());
  }
}

function onEnter(event) {
  if (event.target.closest?.("button, a, summary, textarea, select")) return false;
  if (event.target.matches?.("[data-find], [data-touch], [data-go]")) return false;
  const save = $("[data-save]");
  const next = $("[data-next]");
  if (save) $("[data-form]").requestSubmit(save);
  else if (next) next.click();
  return Boolean(save ?? next);
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape") return onEscape(event);
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    const save = $("[data-save]");
    if (save) $("[data-form]").requestSubmit(save);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === "Enter") {
    if (onEnter(event)) event.preventDefault();
    return;
  }
  if (isTyping(event.target)) return;
  quiet();
  if (form.isEditable() && form.pick(event.key)) {
    event.preventDefault();
    return;
  }
  const command = commands[event.key];
  if (!command && /^[1-9]$/.test(event.key) && form.isEditable()) return say(form.whyNot(event.key));
  if (!command || (EDITING.has(event.key) && !form.isEditable())) return;
  event.preventDefault();
  command();
});

addEventListener("keydown", (event) => {
  if (event.target.matches?.("[data-go]") && event.key === "Enter") {
    event.preventDefault();
    const number = Number(event.target.value.trim().replace(/^t/, ""));
    if (transcript.focusTurn(number)) event.target.value = "";
    else say(`there is no turn ${event.target.value}`);
  }
});

start();
