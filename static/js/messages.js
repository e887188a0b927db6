// What stands against saving: the first wrong question is brought into view, and a message goes once its question changes.

let form, panel;

export function start(root) {
  form = root.querySelector("[data-form]");
  panel = root.querySelector("#messages");
  if (!panel) return;
  const pane = root.querySelector("[data-form-scroll]");
  const wrong = [...form.querySelectorAll(".has-problem")].find((one) => !one.hidden);
  if (wrong) {
    const below = wrong.getBoundingClientRect().top - pane.getBoundingClientRect().top;
    pane.scrollTop += below - 4;
  }
  for (const kind of ["change", "input"]) form.addEventListener(kind, (event) => clear(event.target.closest("fieldset[data-field]")));
  form.addEventListener("answer-changed", () => clear(form.querySelector("[data-type=citation_list].has-problem, [data-type=turn_list].has-problem, [data-type=span].has-problem")));
}

function clear(field) {
  if (!field?.classList.contains("has-problem") || !panel) return;
  field.classList.remove("has-problem");
  field.removeAttribute("aria-describedby");
  for (const mark of field.querySelectorAll("legend .mark")) mark.remove();
  for (const message of panel.querySelectorAll(".message")) {
    const about = message.querySelector("[data-goto]")?.dataset.goto.split(".")[0];
    if (about === field.dataset.field) forget(message);
  }
  if (!panel.querySelector(".message")) panel.remove();
}

// A question that goes unseen must be asked again, so its confirmation goes with it.
function forget(message) {
  const rule = message.id.slice(4);
  message.remove();
  if (panel.querySelector(`#${CSS.escape(message.id)}`)) return;
  form.querySelector(`input[name="confirm"][value="${CSS.escape(rule)}"]`)?.remove();
  const label = form.querySelector("[data-save] [data-label]");
  const left = new Set([...form.querySelectorAll('input[name="confirm"]')].map((one) => one.value));
  if (label && !left.size) label.textContent = label.dataset.label;
  else if (label) label.textContent = label.textContent.replace(/\(.*\)/, `(${[...left].join(", ")})`);
}
