/**
 * @module The script for the page that links a chat. The script shows when the chat has been
 * linked.
 */
import type { MessengerLink } from "../../contract/messenger.ts";
import { sha256Hex } from "../../lib/hash.ts";

/**
 * Identifies a linked chat and its state for the page and its script. Includes the creation time,
 * which changes if the chat is linked again.
 */
export const linkMark = ({ id, status, createdAt }: MessengerLink): string =>
  `${id} ${status} ${createdAt}`;

const LINK = `"use strict";
/* Inside a block, because all scripts on a page share one scope. */
{
const EVERY_MS = 2000;
const state = document.getElementById("link-state");
const known = new Set(state.dataset.known.split("\\n"));
const end = performance.now() + Number(state.dataset.seconds) * 1000;
const finish = (text) => {
  state.textContent = text;
  document.getElementById("link-ways").hidden = true;
};
const look = async () => {
  if (performance.now() > end) return finish("The link has expired. Create another one under Channels.");
  try {
    const answer = await fetch("/v1/account/messenger");
    if (answer.status === 401) return finish("You are signed out. Sign in to see your chats.");
    const { items } = await answer.json();
    const made = items.find(({ id, status, createdAt }) => !known.has(id + " " + status + " " + createdAt));
    if (made !== undefined) {
      return finish("Linked with " + made.name + (made.username === null ? "" : " (@" + made.username + ")") + ".");
    }
    state.textContent = "Waiting for you to press Start in the chat.";
  } catch {
    state.textContent = "The platform is not responding. Trying again.";
  }
  setTimeout(look, EVERY_MS);
};
look();
}
`;

/** The name contains a hash of the content, so browsers can cache the file permanently. */
export const LINK_SCRIPT_PATH = `/assets/link-${sha256Hex(LINK).slice(0, 16)}.js`;

export function showLinkScript(): Response {
  const headers = {
    "content-type": "text/javascript; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "public, max-age=31536000, immutable",
  };
  return new Response(LINK, { headers });
}
