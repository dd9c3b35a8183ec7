/** @module The scripts for web push: the worker, and the subscription code. */
import { sha256Hex } from "../../lib/hash.ts";

export const PUSH_WORKER_PATH = "/push-worker.js";

/**
 * Runs in the browser when a push message arrives, with `title`, `body` and `url` from
 * `pushPayload`.
 */
const PUSH_WORKER = `"use strict";
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  let message = {};
  try {
    message = event.data.json();
  } catch {}
  const title = typeof message.title === "string" ? message.title : "svc";
  const urgent = message.priority === "CRITICAL" || message.priority === "HIGH";
  event.waitUntil(self.registration.showNotification(title, {
    body: typeof message.body === "string" ? message.body : "",
    tag: typeof message.id === "string" ? message.id : undefined,
    icon: "/assets/mark.svg",
    timestamp: message.createdAt,
    requireInteraction: message.priority === "CRITICAL",
    silent: !urgent && message.priority === "LOW",
    data: { url: message.url },
  }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const given = (event.notification.data || {}).url;
  let url = new URL("/", self.location.origin);
  try {
    const parsed = new URL(given);
    if (parsed.protocol === "https:" || parsed.protocol === "http:") url = parsed;
  } catch {}
  event.waitUntil((async () => {
    const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const open = windows.find((client) => client.url === url.href);
    if (open) return open.focus();
    return self.clients.openWindow(url.href);
  })());
});
`;

/** Subscribes or unsubscribes the browser and reports the result in the element `push-state`. */
const PUSH_PAGE = `"use strict";
/* Inside a block, because all scripts on a page share one scope. */
{
const say = (text) => { document.getElementById("push-state").textContent = text; };
const button = (id) => document.getElementById(id);
const show = (subscribed) => {
  button("push-on").hidden = subscribed;
  button("push-off").hidden = !subscribed;
};
const API = "/v1/notifications/push-subscription";

const bytesOf = (text) => {
  const base64 = text.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
};

/* Updates the list on the page with the platform's current one. */
const renewList = async () => {
  const answer = await fetch(location.pathname);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.getElementById("subscriptions").replaceWith(fresh.getElementById("subscriptions"));
};

const subscribe = async () => {
  if (await Notification.requestPermission() !== "granted") {
    return say("Your browser blocks notifications from this site. Allow them in its settings.");
  }
  const registration = await navigator.serviceWorker.ready;
  const { publicKey } = await (await fetch("/v1/notifications/vapid-key")).json();
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: bytesOf(publicKey),
  });
  const answer = await fetch(API, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(subscription.toJSON()),
  });
  if (!answer.ok) {
    await subscription.unsubscribe();
    throw new Error((await answer.json()).error);
  }
  localStorage.setItem("push-id", (await answer.json()).id);
  show(true);
  await renewList();
  say("On: this browser gets notifications, even when no page of this site is open.");
};

/** Checks whether the platform still has the subscription. Subscriptions end with their session. */
const isKept = async () => {
  const id = localStorage.getItem("push-id");
  if (id === null) return true;
  const answer = await fetch(API + "?limit=100");
  return !answer.ok || (await answer.json()).items.some((each) => each.id === id);
};

const unsubscribe = async () => {
  const registration = await navigator.serviceWorker.ready;
  const subscription = await registration.pushManager.getSubscription();
  if (subscription) {
    const answer = await fetch(API, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(subscription.toJSON()),
    });
    if (answer.ok) await fetch(API + "/" + (await answer.json()).id, { method: "DELETE" });
    await subscription.unsubscribe();
  }
  await renewList();
  show(false);
  say("Off: this browser no longer gets notifications.");
};

const guarded = (work) => async () => {
  button("push-on").disabled = button("push-off").disabled = true;
  try {
    await work();
  } catch (error) {
    say("Something went wrong: " + error.message);
  }
  button("push-on").disabled = button("push-off").disabled = false;
};

const begin = async () => {
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) {
    return say("Not available here: this browser does not support web push, or the site does " +
      "not use HTTPS.");
  }
  const registration = await navigator.serviceWorker.register("${PUSH_WORKER_PATH}", { scope: "/" });
  const subscribed = await registration.pushManager.getSubscription() !== null && await isKept();
  show(subscribed);
  say(subscribed ? "On in this browser." : "Off in this browser.");
  button("push-on").addEventListener("click", guarded(subscribe));
  button("push-off").addEventListener("click", guarded(unsubscribe));
};
begin().catch((error) => say("Something went wrong: " + error.message));
}
`;

/** The name contains a hash of the content, so browsers can cache the file permanently. */
export const PUSH_PAGE_PATH = `/assets/push-${sha256Hex(PUSH_PAGE).slice(0, 16)}.js`;

const SCRIPT = {
  "content-type": "text/javascript; charset=utf-8",
  "x-content-type-options": "nosniff",
};

export function showPushWorker(): Response {
  const headers = {
    ...SCRIPT,
    "cache-control": "no-cache",
    "content-security-policy": "default-src 'none'",
  };
  return new Response(PUSH_WORKER, { headers });
}

export function showPushScript(): Response {
  const headers = { ...SCRIPT, "cache-control": "public, max-age=31536000, immutable" };
  return new Response(PUSH_PAGE, { headers });
}
