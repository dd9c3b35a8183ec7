/**
 * The script for buttons that copy commands, URLs, and secrets that are shown once. Browsers only
 * allow that over https and on this machine: elsewhere, there are no buttons.
 *
 * @module
 */

export const COPY_SCRIPT = `
{
/* Of a terminal session, only the commands. */
const codeOf = (text) => {
  const lines = text.split("\\n");
  if (!lines.some((line) => line.startsWith("$ "))) return text.trimEnd();
  return lines.filter((line) => /^[$>] /.test(line)).map((line) => line.slice(2)).join("\\n");
};
const makeButton = (kind, text) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = kind;
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return button;
};
const addButtons = () => {
  for (const block of document.querySelectorAll("main pre.terminal, main code.secret:not([id])")) {
    if (block.parentElement.className === "copyable") continue;
    const frame = document.createElement("div");
    frame.className = "copyable";
    block.replaceWith(frame);
    frame.append(block, makeButton("copy", codeOf(block.textContent)));
  }
  for (const place of document.querySelectorAll("[data-copied]")) {
    place.append(makeButton("quiet tiny", place.dataset.copied));
    delete place.dataset.copied;
  }
};
if (navigator.clipboard) {
  addButtons();
  document.addEventListener("htmx:after:swap", addButtons);
}
}
`;
