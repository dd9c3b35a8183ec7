/**
 * @module The script for the SQL page: keyboard shortcuts, a busy indicator, cancellation, and a
 * local history.
 */
import { sha256Hex } from "../../lib/hash.ts";
import { makeAsset } from "../layout/asset.ts";

const STUDIO = `"use strict";
{
const MOST = 50;
const LONGEST = 10000;
const form = document.querySelector("form[data-sql]");
const field = form?.querySelector("textarea");
const cancel = form?.querySelector("[data-cancel]");
const busy = form?.querySelector("[data-progress]");
const history = document.querySelector("[data-history]");
/* Browsers can refuse storage. In that case, there is no history. */
const stored = (use) => {
  try { return use(localStorage); } catch { return undefined; }
};
const key = "svc-sql:" + form?.dataset.sql;
const read = () => {
  const list = stored((store) => JSON.parse(store.getItem(key) ?? "[]"));
  return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
};
const show = () => {
  const list = read();
  history.hidden = list.length === 0;
  history.querySelector("ol").replaceChildren(...list.map((sql) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain mono";
    button.textContent = sql.length > 200 ? sql.slice(0, 200) + "…" : sql;
    button.addEventListener("click", () => { field.value = sql; field.focus(); });
    item.append(button);
    return item;
  }));
};
const remember = (sql) => {
  if (sql.trim() === "" || sql.length > LONGEST) return;
  const list = [sql, ...read().filter((each) => each !== sql)].slice(0, MOST);
  stored((store) => store.setItem(key, JSON.stringify(list)));
  show();
};
let timer;
const setBusy = (isBusy) => {
  cancel.hidden = !isBusy;
  form.setAttribute("aria-busy", String(isBusy));
  clearInterval(timer);
  busy.textContent = isBusy ? "Running" : "";
  const began = Date.now();
  if (isBusy) timer = setInterval(() => { busy.textContent = "Running for " + Math.round((Date.now() - began) / 1000) + " s"; }, 1000);
};
if (form) {
  show();
  form.addEventListener("submit", () => remember(field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.requestSubmit();
  });
  let isCancelled = false;
  form.addEventListener("htmx:before:request", () => { isCancelled = false; setBusy(true); });
  form.addEventListener("htmx:finally:request", () => {
    setBusy(false);
    if (isCancelled) busy.textContent = "Cancelled";
  });
  cancel.addEventListener("click", () => {
    isCancelled = true;
    form.dispatchEvent(new Event("htmx:abort"));
  });
  history.querySelector("[data-forget]").addEventListener("click", () => {
    stored((store) => store.removeItem(key));
    show();
  });
}
}
`;

/** The name contains a hash of the content, so browsers can cache the file permanently. */
export const STUDIO_SCRIPT_PATH = `/assets/studio-${sha256Hex(STUDIO).slice(0, 16)}.js`;

export const showStudioScript = makeAsset("text/javascript; charset=utf-8", () => STUDIO);
