/**
 * @module The dashboard's scripts: htmx and our own script. Pages also work without these scripts.
 */
import config from "../../../deno.json" with { type: "json" };
import { sha256Hex } from "../../lib/hash.ts";
import { makeAsset } from "./asset.ts";
import { PAGE_POLICY } from "./document.tsx";
import { COPY_SCRIPT } from "./copy_script.ts";
import { FORM_SCRIPT } from "./form_script.ts";
import { LIVE_SCRIPT } from "./live_script.ts";
import { PALETTE_OPENER } from "./palette_script.ts";

const FOLLOW = `"use strict";
/* Inside a block, because all scripts on a page share one scope. */
{
${LIVE_SCRIPT}
/* Maximum number of log lines that stay on a page. */
const MOST = 2000;
const clock = (time) => time.slice(11, 19);
const cell = (name, kind, text) => {
  const made = document.createElement(name);
  made.className = kind;
  made.textContent = text;
  return made;
};
const readers = {
  "build-log": (data) => data.lines.map(({ time, level, text }) => {
    const line = document.createElement("li");
    line.append(cell("time", "", clock(time)), cell("span", level, text));
    return line;
  }),
  log: (entry, list) => {
    const line = document.createElement("li");
    const isRequest = entry.type === "request";
    const level = !isRequest ? entry.level : entry.status >= 500 ? "error" : entry.status >= 400 ? "warn" : "info";
    const text = isRequest
      ? entry.method + " " + entry.host + entry.path + "  " + Math.round(entry.durationMs) + " ms" + (entry.error ? "  " + entry.error : "")
      : (entry.function ?? entry.layer) + "  " + entry.message + (entry.stack ? "\\n" + entry.stack : "");
    const link = cell("a", "", text);
    link.href = list.dataset.entry + "?" + new URLSearchParams({ at: entry.time, ...(entry.requestId ? { request: entry.requestId } : {}) });
    line.append(cell("time", "", clock(entry.time)), " ", cell("span", "badge " + level, isRequest ? String(entry.status) : level), " ", link, "\\n");
    return [line];
  },
};
const sources = new Map();
const leave = (list) => {
  sources.get(list)?.close();
  sources.delete(list);
};
const start = (list, giveBack) => {
  const { stream: address, kind } = list.dataset;
  const source = new EventSource(address);
  sources.set(list, { close: () => { source.close(); giveBack(); } });
  let isFresh = kind === "build-log";
  source.addEventListener("open", () => {
    isFresh = kind === "build-log";
    if (!isFresh) refresh().catch(() => {});
  });
  source.addEventListener(kind, ({ data }) => {
    const event = JSON.parse(data);
    if (isFresh) list.replaceChildren();
    isFresh = false;
    const atEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 40;
    list.append(...readers[kind](event, list));
    while (list.childElementCount > MOST) list.firstElementChild.remove();
    if (atEnd) list.scrollTop = list.scrollHeight;
    if (!event.isComplete) return;
    leave(list);
    location.reload();
  });
  list.scrollTop = list.scrollHeight;
};
/* A list is polled while it waits for a slot for its stream. */
const follow = (list) => {
  const poll = setInterval(() => refresh().catch(() => {}), 5000);
  const giveBack = live.takePlace(() => {
    clearInterval(poll);
    start(list, giveBack);
  });
  sources.set(list, { close: () => { clearInterval(poll); giveBack(); } });
};
/* Follows only the logs that are currently on the page. */
const followAll = () => {
  /* A browser opens only six connections to a site in all its tabs together. */
  if (document.hidden) return;
  for (const list of [...sources.keys()]) if (!list.isConnected) leave(list);
  for (const list of document.querySelectorAll("[data-stream]:not([data-paused])")) if (!sources.has(list)) follow(list);
  for (const button of document.querySelectorAll("[data-pause]")) button.hidden = false;
};
/*
 * The server does not know the reader's time zone, so it writes times in UTC. These become
 * tooltips.
 */
const LOCAL = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
const localizeTimes = () => {
  for (const time of document.querySelectorAll("time[data-local]")) {
    time.title = time.textContent;
    time.textContent = LOCAL.format(new Date(time.dateTime));
    delete time.dataset.local;
  }
};
localizeTimes();
document.addEventListener("htmx:after:swap", localizeTimes);
followAll();
document.addEventListener("htmx:after:swap", followAll);
window.addEventListener("pagehide", () => [...sources.keys()].forEach(leave));
window.addEventListener("pageshow", followAll);
/* Lines that arrived while the log was not being followed appear when the page is fetched again. */
const refresh = async () => {
  const lists = [...document.querySelectorAll("[data-stream]:not([data-paused])")];
  if (lists.length === 0) return;
  const counts = lists.map((list) => list.childElementCount);
  const response = await fetch(location.href);
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  const [...newer] = fresh.querySelectorAll("[data-stream]");
  lists.forEach((list, at) => {
    if (!newer[at]) return;
    const texts = new Set([...newer[at].children].map(({ textContent }) => textContent.trim()));
    /* Lines that arrived in the meantime may be missing from the page. */
    const later = [...list.children].slice(counts[at]).filter(({ textContent }) => !texts.has(textContent.trim()));
    list.replaceChildren(...newer[at].children, ...later);
  });
};
document.addEventListener("visibilitychange", () => {
  if (document.hidden) [...sources.keys()].forEach(leave);
  else refresh().catch(() => {}).then(followAll);
});
/* A deployment's state determines what else its page shows. */
const stateShown = () => document.getElementById("facts")?.dataset.state;
const firstState = stateShown();
const showState = () => {
  if (stateShown() !== firstState && document.querySelector("dialog[open]") === null) location.reload();
};
document.addEventListener("htmx:after:swap", showState);
/* The event does not bubble. */
document.addEventListener("close", showState, true);
/* A paused log does not change. When resumed, it first shows the lines that it missed. */
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-pause]");
  const list = button && document.getElementById(button.dataset.pause);
  if (!list) return;
  const isPaused = list.toggleAttribute("data-paused");
  button.textContent = isPaused ? "Resume" : "Pause";
  if (isPaused) leave(list);
  else refresh().catch(() => {}).then(followAll);
});
/* A log entry opens next to the log. */
document.addEventListener("click", async (event) => {
  const link = event.target.closest(".log a");
  const drawer = document.getElementById("drawer");
  if (!link || !drawer || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const response = await fetch(link.href).catch(() => undefined);
  const page = new DOMParser().parseFromString(await response?.text() ?? "", "text/html");
  const entry = page.getElementById("entry");
  if (entry === null) return location.assign(link.href);
  drawer.querySelector("[data-place]").replaceChildren(entry);
  localizeTimes();
  if (!drawer.open) drawer.showModal();
});
const showSection = () =>
  document.querySelector(".sections [aria-current=page], .rooms [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
showSection();
window.addEventListener("resize", showSection);
${PALETTE_OPENER}
document.addEventListener("keydown", (event) => {
  const way = document.querySelector("[data-search]");
  if (way === null || !isSearchKey(event)) return;
  event.preventDefault();
  const field = document.getElementById("q");
  if (field === null) openPalette(way);
  else field.select();
});
document.addEventListener("click", (event) => {
  const way = event.target.closest("[data-search]");
  if (way === null || event.ctrlKey || event.metaKey || event.shiftKey || document.getElementById("q")) return;
  event.preventDefault();
  openPalette(way);
});
/* The arrow keys move from the search field through the results and back. */
document.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const field = document.getElementById("q");
  if (step === undefined || field === null) return;
  const places = [field, ...document.querySelectorAll("#found a")];
  const from = places.indexOf(document.activeElement);
  if (from === -1 || places[from + step] === undefined) return;
  event.preventDefault();
  places[from + step].focus();
});
const MENUS = "details.switch, details.menu";
document.addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll(MENUS)) if (!menu.contains(target)) menu.open = false;
});
document.addEventListener("keydown", ({ key, target }) => {
  const menu = key === "Escape" ? target.closest(MENUS) : null;
  if (menu === null) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
}
`;

const BOARD_SCRIPT = FOLLOW + COPY_SCRIPT + FORM_SCRIPT;

/** The pinned version of htmx. */
const HTMX_VERSION = /@([\d.]+)$/.exec(config.imports["htmx.org"])?.[1] ?? "";

/**
 * The names contain the version or a hash of the content, so browsers can cache the files
 * permanently.
 */
export const HTMX_PATH = `/assets/htmx-${HTMX_VERSION}.js`;
export const BOARD_SCRIPT_PATH = `/assets/board-${sha256Hex(BOARD_SCRIPT).slice(0, 16)}.js`;

/**
 * The Content Security Policy of the dashboard: only our own scripts, and requests to our own site.
 */
export const BOARD_POLICY = `${PAGE_POLICY}; script-src 'self'; connect-src 'self'`;

/** Keeps htmx from adding a style element, which the policy would block. */
export const HTMX_CONFIG = JSON.stringify({ includeIndicatorCSS: false });

const SCRIPT = "text/javascript; charset=utf-8";

/** Serves htmx, which is bundled with the program. */
export const showHtmx = makeAsset(
  SCRIPT,
  () => Deno.readFile(new URL(import.meta.resolve("htmx.org/dist/htmx.min.js"))),
);

export const showBoardScript = makeAsset(SCRIPT, () => BOARD_SCRIPT);
