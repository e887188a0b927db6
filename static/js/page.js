// Ordinary pages need almost nothing: a link that is shown once selects itself when focused.

for (const input of document.querySelectorAll("[data-select]")) {
  input.addEventListener("focus", () => input.select());
}
