/**
 * @module Keeps open pages up to date with one stream of notifications for all tabs of a browser. A
 * shared worker reads the stream and also assigns the few slots for log streams. Over HTTP/1.1, a
 * browser opens only six connections to a site, and some of them must remain free for loading
 * pages.
 */
import { sha256Hex } from "../../lib/hash.ts";
import { makeAsset } from "./asset.ts";

/** Maximum number of open log streams in one browser. */
const LOG_STREAMS = 3;

const WORKER = `"use strict";
const TYPES = ["counts", "notification", "read", "archived", "deleted", "reset"];
const followers = new Set();
let source;
let counts;
const tell = (type, data) => followers.forEach((port) => port.postMessage({ type, data }));
const leave = (port) => {
  followers.delete(port);
  if (followers.size > 0) return;
  source?.close();
  source = counts = undefined;
};
const follow = (port) => {
  followers.add(port);
  if (counts !== undefined) port.postMessage({ type: "counts", data: counts });
  if (source !== undefined && source.readyState !== EventSource.CLOSED) return;
  source = new EventSource("/v1/notifications/stream");
  for (const type of TYPES) {
    source.addEventListener(type, ({ data }) => {
      if (type === "counts") counts = data;
      tell(type, data);
    });
  }
};
/* Requests for log stream slots: first those that have a slot, then those that are waiting. */
let places = [];
const grant = () => places.slice(0, ${LOG_STREAMS}).forEach((place) => {
  if (place.isGranted) return;
  place.isGranted = true;
  place.port.postMessage({ type: "place", data: place.id });
});
const free = (isFreed) => {
  places = places.filter((place) => !isFreed(place));
  grant();
};
addEventListener("connect", ({ ports: [port] }) => {
  port.addEventListener("message", ({ data: { type, id } }) => {
    if (type === "follow") follow(port);
    if (type === "leave") leave(port);
    if (type === "free") free((place) => place.port === port && place.id === id);
    if (type !== "want") return;
    places.push({ port, id, isGranted: false });
    grant();
  });
  /* A crashed tab, if the browser reports it. */
  port.addEventListener("close", () => {
    leave(port);
    free((place) => place.port === port);
  });
  port.start();
});
`;

/** The name contains a hash of the content, so pages of the same version share a worker. */
export const LIVE_WORKER_PATH = `/assets/live-${sha256Hex(WORKER).slice(0, 16)}.js`;

export const showLiveWorker = makeAsset("text/javascript; charset=utf-8", () => WORKER);

/**
 * The part of the dashboard's script that follows the stream. Later parts of the script use `live`.
 */
export const LIVE_SCRIPT = `
const live = (() => {
  const TYPES = ["counts", "notification", "read", "archived", "deleted", "reset"];
  const person = document.querySelector("[data-person]")?.dataset.person;
  const tell = (type, data) => document.dispatchEvent(new CustomEvent("live:" + type, { detail: data }));
  /* The worker belongs to one person. The next person who signs in gets a different worker. */
  const port = person && globalThis.SharedWorker ? new SharedWorker("${LIVE_WORKER_PATH}", person).port : undefined;
  const starts = new Map();
  let ids = 0;
  let source;
  const leave = () => {
    if (port) return port.postMessage({ type: "leave" });
    source?.close();
    source = undefined;
  };
  /* Some phones have no shared workers. There, each visible page has its own stream. */
  const follow = () => {
    if (document.hidden || !person) return;
    if (port) return port.postMessage({ type: "follow" });
    if (source !== undefined) return;
    source = new EventSource("/v1/notifications/stream");
    for (const type of TYPES) source.addEventListener(type, ({ data }) => tell(type, data));
  };
  port?.addEventListener("message", ({ data: { type, data } }) => {
    if (type === "place") starts.get(data)?.();
    else tell(type, data);
  });
  port?.start();
  follow();
  document.addEventListener("visibilitychange", () => document.hidden ? leave() : follow());
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", follow);
  return {
    /* Calls start() once there is a slot for a stream. Returns a function that frees the slot. */
    takePlace(start) {
      const id = ++ids;
      starts.set(id, start);
      if (port) port.postMessage({ type: "want", id });
      else queueMicrotask(() => starts.get(id)?.());
      return () => {
        starts.delete(id);
        port?.postMessage({ type: "free", id });
      };
    },
  };
})();
/* The unread count in the bar. */
document.addEventListener("live:counts", ({ detail }) => {
  const { unread } = JSON.parse(detail);
  for (const badge of document.querySelectorAll("[data-unread]")) badge.textContent = unread === 0 ? "" : String(unread);
});
/* Notifications refresh the lists unless someone is about to use them. */
let renewal;
const renewLists = () => {
  for (const list of document.querySelectorAll("[data-live]")) {
    if (document.hidden || list.contains(document.activeElement) || list.querySelector("details[open]")) continue;
    const select = "#" + list.id;
    globalThis.htmx?.ajax("GET", location.pathname + location.search, { target: select, select, swap: "outerHTML" });
  }
};
document.addEventListener("live:notification", () => {
  clearTimeout(renewal);
  renewal = setTimeout(renewLists, 300);
});
`;
