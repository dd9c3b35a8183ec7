/**
 * The script of the inbox: it follows the live stream, and reports when there is
 * something new. The page works without it.
 *
 * @module
 */
import { sha256Hex } from "../../lib/hash.ts";

const INBOX = `"use strict";
const unread = document.getElementById("unread");
const fresh = document.getElementById("fresh");
const stream = new EventSource("/v1/notifications/stream");
const base = document.title;
stream.addEventListener("counts", ({ data }) => {
  const counts = JSON.parse(data);
  unread.textContent = counts.unread === 0 ? "" : String(counts.unread);
  document.title = counts.unread === 0 ? base : "(" + counts.unread + ") " + base;
});
let arrived = 0;
stream.addEventListener("notification", ({ data }) => {
  arrived++;
  const { title } = JSON.parse(data);
  document.getElementById("fresh-text").textContent = arrived === 1
    ? title
    : arrived + " new notifications, the latest: " + title;
  fresh.hidden = false;
});
for (const type of ["read", "archived", "deleted", "reset"]) {
  stream.addEventListener(type, () => {
    if (fresh.hidden) document.getElementById("fresh-text").textContent = "The inbox changed.";
    fresh.hidden = false;
  });
}
window.addEventListener("pagehide", () => stream.close());
`;

/** Named after its content, so that browsers can cache it for good. */
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
