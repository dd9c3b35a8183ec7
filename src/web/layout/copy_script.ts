/**
 * The script for buttons that copy commands, URLs and one-time secrets.
 *
 * @module
 */

export const COPY_SCRIPT = `
{
/* From a terminal session, copies only the commands. */
const codeOf = (text) => {
  const lines = text.split("\\n");
  if (!lines.some((line) => line.startsWith("$ "))) return text.trimEnd();
  return lines.filter((line) => /^[$>] /.test(line)).map((line) => line.slice(2)).join("\\n");
};
/*
 * Over HTTPS and on localhost, pages can write to the clipboard if the browser allows it.
 * Elsewhere, browsers copy the selection.
 */
const copy = async (button, text) => {
  try {
    return await navigator.clipboard.writeText(text);
  } catch { /* as below */ }
  const area = document.createElement("textarea");
  area.value = text;
  button.after(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  button.focus();
};
const makeButton = (kind, text) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = kind;
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await copy(button, text);
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
addButtons();
document.addEventListener("htmx:after:swap", addButtons);
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-copy]");
  const source = button && document.getElementById(button.dataset.copy);
  if (source) copy(button, source.textContent).then(() => { button.textContent = "Copied"; }, () => {});
});
}
`;
