/** @module The script for the inbox. It follows the live stream and announces new notifications. */
import { sha256Hex } from "../../lib/hash.ts";

const INBOX = `"use strict";
/* Inside a block, because all scripts on a page share one scope. */
{
const unread = document.getElementById("unread");
const fresh = document.getElementById("fresh");
const base = document.title;
let known;
const showFresh = (text) => {
  document.getElementById("fresh-text").textContent = text;
  fresh.hidden = false;
};
const onCounts = ({ detail }) => {
  const counts = JSON.parse(detail);
  if (known !== undefined && known !== counts.total && fresh.hidden) showFresh("The inbox changed.");
  known = undefined;
  total = counts.total;
  unread.textContent = counts.unread === 0 ? "" : String(counts.unread);
  document.title = counts.unread === 0 ? base : "(" + counts.unread + ") " + base;
};
let arrived = 0;
const onNotification = ({ detail }) => {
  arrived++;
  const { title } = JSON.parse(detail);
  showFresh(arrived === 1 ? title : arrived + " new notifications, the latest: " + title);
};
let total;
/*
 * The dashboard's script follows the stream. The initial counts show whether anything arrived while
 * the tab was hidden.
 */
document.addEventListener("visibilitychange", () => { known = total; });
document.addEventListener("live:counts", onCounts);
document.addEventListener("live:notification", onNotification);
for (const type of ["read", "archived", "deleted", "reset"]) {
  document.addEventListener("live:" + type, () => { if (fresh.hidden) showFresh("The inbox changed."); });
}
/* j and k move down and up, Enter opens, e archives, r marks as read, # deletes. */
const items = [...document.querySelectorAll("#inbox > li")];
let place = -1;
const go = (to) => {
  if (items.length === 0) return;
  place = Math.min(Math.max(to, 0), items.length - 1);
  items[place].focus();
  items[place].scrollIntoView({ block: "nearest" });
};
const press = (selector) => {
  if (place >= 0) items[place].querySelector(selector)?.click();
};
const keys = {
  j: () => go(place + 1),
  k: () => go(place - 1),
  e: () => press("[data-act=archive] button"),
  r: () => press("[data-act=read] button"),
  "#": () => press("[data-act=delete] button"),
  Enter: () => press(".what a"),
};
items.forEach((item, at) => item.addEventListener("focusin", () => { place = at; }));
/* Keeps the position if a shortcut submits a form and the page is reloaded. */
const MEMORY = "inbox-place";
document.addEventListener("submit", ({ target }) => {
  if (items.some((item) => item.contains(target))) sessionStorage.setItem(MEMORY, String(place));
});
const kept = sessionStorage.getItem(MEMORY);
sessionStorage.removeItem(MEMORY);
if (kept !== null) go(Number(kept));
document.addEventListener("keydown", (event) => {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || target.closest("input, select, textarea")) return;
  if (key === "Enter" && target !== items[place]) return;
  if (!Object.hasOwn(keys, key)) return;
  event.preventDefault();
  keys[key]();
});
}
`;

/** The name contains a hash of the content, so browsers can cache the file permanently. */
export const INBOX_SCRIPT_PATH = `/assets/inbox-${sha256Hex(INBOX).slice(0, 16)}.js`;

export function showInboxScript(): Response {
  return new Response(INBOX, {
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    },
  });
}
