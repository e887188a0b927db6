// The coding form: which questions belong, which is asked now, citing, the search span. It chooses nothing by itself.

import * as find from "./find.js";
import * as transcript from "./transcript.js";

let form, fields, roleHints, intents, backward;
const picked = [];

export function start(root) {
  form = root.querySelector("[data-form]");
  fields = [...form.querySelectorAll("fieldset[data-field]")].map((element) => ({
    element,
    name: element.dataset.field,
    type: element.dataset.type,
    when: JSON.parse(element.dataset.when ?? "{}"),
    needs: JSON.parse(element.dataset.needs ?? "[]"),
  }));
  roleHints = JSON.parse(form.dataset.roles);
  intents = JSON.parse(form.dataset.intents);
  backward = JSON.parse(form.dataset.backward);
  picked.length = 0;
  form.addEventListener("change", onChange);
  form.addEventListener("click", onClick);
  refresh();
}

export const isEditable = () => fields.length > 0;
const radios = (field) => [...field.element.querySelectorAll('input[type="radio"]')];

function valueOf(field) {
  if (field.type === "enum") return radios(field).find((radio) => radio.checked)?.value ?? null;
  if (field.type === "flags") return [...field.element.querySelectorAll("input:checked")].map((box) => box.value);
  if (field.type === "text") return field.element.querySelector("textarea").value || null;
  if (field.type === "span") return [...field.element.querySelectorAll("input")].some((input) => input.value) || null;
  return rows().length ? rows() : null;
}

function answers() {
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));
}

function allows(value, allowed) {
  return Array.isArray(value) ? value.some((one) => allowed.includes(one)) : allowed.includes(value);
}

function belongs(name, values, seen = new Set()) {
  const field = fields.find((one) => one.name === name);
  if (!field || seen.has(name)) return false;
  const path = new Set(seen).add(name);
  return Object.entries(field.when).every(([asked, allowed]) => belongs(asked, values, path) && allows(values[asked], allowed));
}

function holds(condition, values) {
  return Object.entries(condition).every(([name, allowed]) => {
    if (name !== "kind_class") return allows(values[name], allowed);
    const kind = values.claim_kind;
    const side = intents.includes(kind) ? "intent" : !backward.length || backward.includes(kind) ? "backward" : null;
    return allowed.includes(side);
  });
}

const isNeeded = (field, values) => field.needs.some((condition) => holds(condition, values));

// Show what belongs, unfold what is needed, mark the question that is asked now.
export function refresh() {
  const values = answers();
  for (const field of fields) {
    field.element.hidden = !belongs(field.name, values);
    const folded = field.element.querySelector(":scope > .opt");
    if (!folded) continue;
    const needed = isNeeded(field, values);
    if (needed !== folded.classList.contains("needed")) folded.open = needed || Boolean(valueOf(field));
    folded.classList.toggle("needed", needed);
  }
  for (const row of form.querySelectorAll("[data-kinds]")) {
    const apt = !values.claim_kind || JSON.parse(row.dataset.kinds).includes(values.claim_kind);
    row.hidden = !apt && !row.querySelector("input").checked;
  }
  document.body.classList.toggle("show-window", intents.includes(values.claim_kind) && values.codability !== "not_codable");
  markNow();
  for (const field of fields.filter((one) => one.type === "flags")) {
    const names = [...field.element.querySelectorAll("input:checked")].map((box) => box.closest("label").textContent.trim());
    field.element.querySelector("[data-chosen]").textContent = names.join(", ") || "none";
  }
  markEvidence(values);
}

function isOpen(field) {
  if (field.type !== "enum" || field.element.hidden) return false;
  const folded = field.element.querySelector(":scope > .opt");
  return !folded || folded.open;
}

const isAsked = (field) => isOpen(field) && !valueOf(field);
const titleOf = (field) => field.element.querySelector("legend").firstChild.textContent.trim();
const answerOf = (field) => radios(field).find((radio) => radio.checked)?.closest("label").querySelector(".name").textContent.trim();

// The mark stands on the question a key would answer: the one in focus, else the first that waits.
function markNow() {
  const now = activeQuestion();
  for (const field of fields) field.element.classList.toggle("is-now", field === now);
}

for (const kind of ["focusin", "focusout"]) {
  document.addEventListener(kind, () => fields?.length && queueMicrotask(markNow));
}

export const questionNow = () => fields.find(isAsked) ?? null;

export function activeQuestion() {
  const focused = document.activeElement?.closest?.("fieldset[data-type='enum']");
  if (focused && document.activeElement.matches(":focus-visible")) return fields.find((field) => field.element === focused);
  return questionNow();
}

// A key picks an option of the question at hand; true when it did.
export function pick(key) {
  const field = activeQuestion();
  if (!field) return false;
  const options = radios(field).filter((radio) => !radio.closest("[hidden]"));
  const radio = options.find((one) => one.dataset.key === key) ?? (/^[1-9]$/.test(key) && !options.some((one) => one.dataset.key === key) ? radios(field)[Number(key) - 1] : null);
  if (!radio || radio.closest("[hidden]")) return false;
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  const next = questionNow();
  const target = next ? radios(next).find((one) => !one.closest("[hidden]")) : null;
  if (target) target.focus({ preventScroll: true, focusVisible: false });
  else document.activeElement?.blur?.();
  next?.element.scrollIntoView({ block: "nearest" });
  return true;
}

// Why a digit did nothing.
export function whyNot(key) {
  const field = activeQuestion();
  return field ? `${titleOf(field)} has no answer ${key}` : "every question is answered: p goes back to change one";
}

// Go to the question before the one at hand, so that a key can change its answer.
export function earlier() {
  const open = fields.filter(isOpen);
  const at = open.indexOf(activeQuestion());
  const field = open[(at < 0 ? open.length : at) - 1];
  if (!field) return "this is the first question";
  const options = radios(field).filter((radio) => !radio.closest("[hidden]"));
  (options.find((radio) => radio.checked) ?? options[0]).focus({ preventScroll: true, focusVisible: true });
  field.element.scrollIntoView({ block: "nearest" });
  const answer = answerOf(field);
  return `${titleOf(field)}: ${answer ? `now ${answer}, a key changes it` : "not answered yet"}`;
}

export function takeBack() {
  const last = picked.pop();
  const field = fields.find((one) => one.name === last);
  if (!field) return "there is no answer to take back";
  for (const radio of radios(field)) radio.checked = false;
  form.dispatchEvent(new CustomEvent("answer-changed", { bubbles: true }));
  refresh();
  field.element.scrollIntoView({ block: "nearest" });
  return `taken back: ${titleOf(field)}`;
}

export function define() {
  const field = activeQuestion() ?? fields.find((one) => one.name === picked.at(-1));
  if (!field) return;
  const row = document.activeElement?.matches?.(":focus-visible") ? document.activeElement.closest(".row") : null;
  const notes = row ? [row.querySelector(".def")] : [...field.element.querySelectorAll(".def, .defs")];
  const open = notes.some((one) => !one.open);
  for (const one of notes) one.open = open;
}

// The field of a name, else the first of a type: what a codebook calls its note or its flags is its own business.
export const named = (type, name) => (fields.find((one) => one.name === name && one.type === type) ?? fields.find((one) => one.type === type))?.name;

export function goto(name) {
  if (!name) return;
  const parts = name.split(".");
  const element = document.getElementById(parts[0]);
  if (!element) return;
  for (const details of element.querySelectorAll(":scope > .opt, :scope > .flags")) details.open = true;
  element.scrollIntoView({ block: "nearest" });
  const exact = form.querySelector(`:is(input, select, textarea)[name="${CSS.escape(name)}"]:not([type="radio"])`);
  const control = exact ?? element.querySelector("input:not([type=hidden]), select, textarea");
  control?.focus();
}

function onChange(event) {
  const name = event.target.name ?? "";
  if (event.target.type === "radio") {
    const at = picked.indexOf(name);
    if (at >= 0) picked.splice(at, 1);
    picked.push(name);
  }
  const row = event.target.closest(".cite");
  if (row) changeRow(row, event.target);
  refresh();
}

function onClick(event) {
  const remove = event.target.closest('button[name="uncite"]');
  if (remove) {
    event.preventDefault();
    removeRow(remove.closest(".cite"));
  }
  const link = event.target.closest("[data-goto]");
  if (link) {
    event.preventDefault();
    goto(link.dataset.goto);
  }
}

// ---- citations -----------------------------------------------------------------------------------------------------

const evidence = () => fields.find((field) => field.type === "citation_list" || field.type === "turn_list");
const input = (row, key) => row.querySelector(`[name$=".${key}"]`);
const turnOf = (row) => {
  const text = input(row, "turn").value.trim().replace(/^t/, "");
  return /^\d+$/.test(text) ? Number(text) : null;
};

function rows() {
  const field = evidence();
  return field ? [...field.element.querySelectorAll(".cite")].filter((row) => turnOf(row) !== null) : [];
}

function roleFor() {
  const values = answers();
  const roles = new Set(roleHints.filter((hint) => holds(hint.when, values)).map((hint) => hint.role));
  return roles.size === 1 ? [...roles][0] : "";
}

const defaultPart = (parts) => ("call" in parts ? "call" : Object.keys(parts)[0]);

function derive(row) {
  const parts = transcript.partsOf(turnOf(row));
  const part = input(row, "part")?.value || defaultPart(parts);
  return parts[part] ?? "";
}

function changeRow(row, control) {
  const number = turnOf(row);
  if (row.classList.contains("fresh") && number !== null) settle(row);
  const tier = input(row, "tier");
  if (!tier) return;
  if (/\.turn$/.test(control.name)) setParts(row);
  const derived = derive(row);
  // A codebook with tiers of its own gets none from the log.
  if (/\.(turn|part)$/.test(control.name)) tier.value = [...tier.options].some((option) => option.value === derived) ? derived : "";
  row.querySelector("[data-derived]").textContent = derived ? `log: ${derived}` : "";
}

function setParts(row) {
  const select = input(row, "part");
  const parts = transcript.partsOf(turnOf(row));
  const others = Object.keys(parts).filter((part) => part !== defaultPart(parts));
  select.replaceChildren(new Option(others.length ? `its ${defaultPart(parts)}` : "whole", ""), ...others.map((part) => new Option(`its ${part === "text" ? "words" : part}`, part)));
  select.hidden = !others.length;
}

// The empty row becomes a citation, and a new empty row follows it.
function settle(row) {
  const number = Number(row.dataset.row);
  const next = row.cloneNode(true);
  next.dataset.row = number + 1;
  for (const control of next.querySelectorAll("[name]")) {
    control.name = control.name.replace(/\.\d+\./, `.${number + 1}.`);
    if (control.tagName === "SELECT") control.selectedIndex = 0;
    else control.value = "";
  }
  next.id = next.id.replace(/\d+$/, number + 1);
  for (const named of next.querySelectorAll("[aria-label]")) named.setAttribute("aria-label", named.getAttribute("aria-label").replace(/^(new evidence|evidence \d+)/, `evidence ${number + 2}`));
  next.querySelector("[data-derived]")?.replaceChildren();
  row.classList.remove("fresh");
  const remove = Object.assign(document.createElement("button"), { type: "submit", name: "uncite", value: String(number), className: "quiet remove", textContent: "×" });
  remove.setAttribute("aria-label", `remove evidence ${number + 1}`);
  row.append(remove);
  row.after(next);
}

function removeRow(row) {
  row.remove();
  form.dispatchEvent(new CustomEvent("answer-changed", { bubbles: true }));
  refresh();
}

// Cite a turn, or take its citation back; returns what happened in words.
export function cite(number) {
  const field = evidence();
  if (!field || number === null) return "";
  if (field.element.hidden) return "evidence is not asked for yet";
  const found = rows().filter((row) => turnOf(row) === number);
  if (found.length) {
    found.forEach(removeRow);
    return `turn ${number} is no longer cited`;
  }
  const row = field.element.querySelector(".cite.fresh");
  input(row, "turn").value = number;
  const role = input(row, "role");
  if (role) role.value = roleFor();
  changeRow(row, input(row, "turn"));
  form.dispatchEvent(new CustomEvent("answer-changed", { bubbles: true }));
  refresh();
  row.scrollIntoView({ block: "nearest" });
  const said = [input(row, "role")?.value, input(row, "tier")?.value].filter(Boolean).join(" ");
  const open = input(row, "role") && !input(row, "role").value ? "; r sets its role" : "";
  return `turn ${number} cited${said ? `: ${said}` : ""}${open}`;
}

// Give the focused turn's citation its next role; returns what happened in words.
export function changeRole(number) {
  const field = evidence();
  if (!field || number === null) return "";
  if (field.element.hidden) return "evidence is not asked for yet";
  const row = rows().find((one) => turnOf(one) === number);
  if (!row) return `turn ${number} is not cited: e cites it, then r sets its role`;
  const role = input(row, "role");
  if (!role) return "this codebook gives citations no role";
  const values = [...role.options].map((option) => option.value).filter(Boolean);
  role.value = values[(values.indexOf(role.value) + 1) % values.length];
  form.dispatchEvent(new CustomEvent("answer-changed", { bubbles: true }));
  refresh();
  row.scrollIntoView({ block: "nearest" });
  return `turn ${number}: ${role.value}`;
}

function markEvidence(values) {
  const field = evidence();
  if (!field) return;
  transcript.markCited(rows().map((row) => [turnOf(row), input(row, "role")?.value ?? ""]));
  const now = transcript.currentTurn();
  let hint = field.element.querySelector(".hint");
  if (!hint) {
    hint = Object.assign(document.createElement("span"), { className: "hint help" });
    field.element.querySelector("legend").append(" ", hint);
  }
  const cited = rows().some((row) => turnOf(row) === now);
  hint.textContent = now === null ? "" : cited ? `e takes turn ${now} back${input(field.element, "role") ? ", r changes its role" : ""}` : `e cites turn ${now}`;
  field.element.classList.toggle("is-wanted", isNeeded(field, values) && !rows().length);
}

document.addEventListener("turn-focused", () => fields && markEvidence(answers()));

// ---- search span ---------------------------------------------------------------------------------------------------

export function span(number) {
  const field = fields.find((one) => one.type === "span");
  if (!field || number === null) return "";
  if (field.element.hidden) return "the search span is not asked for yet";
  const [from, to, words] = ["from_turn", "to_turn", "looked_for"].map((key) => input(field.element, key));
  const folded = field.element.querySelector(":scope > .opt");
  if (folded) folded.open = true;
  let said;
  if (!from.value || to.value) {
    from.value = number;
    to.value = "";
    said = `search span starts at turn ${number}; s again sets its end`;
  } else {
    const [low, high] = [Number(from.value), number].sort((a, b) => a - b);
    from.value = low;
    to.value = high;
    if (!words.value) words.value = find.listSearches().join("; ");
    said = `search span: turns ${low} to ${high}`;
  }
  transcript.markSpan(from.value ? Number(from.value) : null, to.value ? Number(to.value) : Number(from.value));
  form.dispatchEvent(new CustomEvent("answer-changed", { bubbles: true }));
  refresh();
  field.element.scrollIntoView({ block: "nearest" });
  if (to.value && !words.value) words.focus(); // what was looked for is all that is missing now
  return said;
}
