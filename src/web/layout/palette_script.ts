/**
 * @module The search overlay, which a keyboard shortcut opens on every page. The overlay lists the
 * page's actions, other pages, projects and search results. It is loaded when it is first opened.
 * Without this script, the search is a page.
 */
import { sha256Hex } from "../../lib/hash.ts";
import { makeAsset } from "./asset.ts";

const PALETTE = `"use strict";
{
/* Maximum number of rows in a group. */
const MOST = 6;
const PAUSE_MS = 150;
const way = document.querySelector("[data-search]");
const search = new URL(way.href ?? way.action);
const textOf = (node) => node?.textContent.replace(/\\s+/g, " ").trim() ?? "";

/*
 * Finds a word's letters in order, starting at a given position. Letters at the start of a word
 * score higher.
 */
const chain = (plain, word, first) => {
  const letters = [first];
  let points = first === 0 || /[^a-z0-9]/.test(plain[first - 1]) ? 10 : 0;
  for (const letter of word.slice(1).split("")) {
    const from = letters.at(-1) + 1;
    const found = plain.indexOf(letter, from);
    if (found === -1) return undefined;
    points += found === from ? 5 : /[^a-z0-9]/.test(plain[found - 1]) ? 10 : 0;
    letters.push(found);
  }
  return { points, letters };
};
/* How well a word matches, and the matching letters; undefined if those are too far apart. */
const fit = (plain, word) => {
  const at = plain.indexOf(word);
  if (at !== -1) return { points: 1000 - at, letters: word.split("").map((_, n) => at + n) };
  const starts = plain.split("").flatMap((letter, n) => letter === word[0] ? [n] : []);
  const [best] = starts.map((first) => chain(plain, word, first)).filter(Boolean).sort((a, b) => b.points - a.points);
  return best !== undefined && best.points >= 3 * word.length ? best : undefined;
};
/* How well a string matches all words; undefined if a word is missing. */
const score = (text, wanted) => {
  const plain = text.toLowerCase();
  const fits = wanted.split(/\\s+/).filter(Boolean).map((word) => fit(plain, word));
  if (fits.includes(undefined)) return undefined;
  const points = fits.reduce((sum, one) => sum + one.points, 0) - plain.length / 100;
  return { points, letters: new Set(fits.flatMap(({ letters }) => letters)) };
};

/* The rows on a page of results. */
const read = async (query) => {
  const address = new URL(search);
  address.searchParams.set("q", query);
  const response = await fetch(address);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return [...page.querySelectorAll("#found section")].flatMap((section) =>
    [...section.querySelectorAll("a.whole")].map((link) => ({
      text: textOf(link),
      detail: textOf(link.nextElementSibling),
      kind: textOf(section.querySelector("h2")),
      href: link.getAttribute("href"),
    }))
  );
};
const readProjects = async () => {
  const [, place, workspace] = search.pathname.split("/");
  if (place !== "workspaces") return [];
  const response = await fetch("/v1/projects?limit=100&workspace=" + workspace);
  const { items } = await response.json();
  return items.map(({ name, displayName }) => ({
    text: displayName ?? name,
    kind: "Projects",
    href: "/workspaces/" + workspace + "/projects/" + name,
  }));
};
/* The actions and documents on the page itself. */
const readActions = () =>
  [["Actions", ".band .acts a, .band .acts button"], ["Documents", ".contents a"]].flatMap(([kind, where]) =>
    [...document.querySelectorAll(where)].map((node) => ({ text: textOf(node), kind, run: () => node.click() }))
  );

const make = (name, attributes, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};
/* A string with its matching letters marked. */
const marked = (text, letters) => {
  const parts = [];
  for (let at = 0, end; at < text.length; at = end) {
    const isMarked = letters.has(at);
    for (end = at + 1; end < text.length && letters.has(end) === isMarked; end++);
    parts.push(isMarked ? make("mark", {}, text.slice(at, end)) : text.slice(at, end));
  }
  return parts;
};

const open = () => {
  if (document.querySelector("dialog[open]") !== null) return;
  const opener = document.activeElement;
  const field = make("input", {
    type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list",
    "aria-label": "Search or go to", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false",
    maxlength: "100", placeholder: "Search or go to…",
  });
  const list = make("div", { id: "palette-list", role: "listbox", "aria-label": "Results" });
  const count = make("p", { class: "soft small", role: "status" });
  const dialog = make("dialog", { class: "palette", "aria-label": "Search or go to" }, field, list, count);
  let known = readActions();
  let found = [];
  let shown = [];
  let chosen = 0;
  let timer;
  let asked = "";
  field.value = document.getElementById("q")?.value ?? "";

  const mark = () => {
    const rows = [...list.querySelectorAll("[role=option]")];
    rows.forEach((row, at) => row.setAttribute("aria-selected", String(at === chosen)));
    const row = rows[chosen];
    row?.scrollIntoView({ block: "nearest" });
    if (row) field.setAttribute("aria-activedescendant", row.id);
    else field.removeAttribute("aria-activedescendant");
  };
  const choose = (at) => {
    const item = shown[at];
    if (item === undefined) return;
    dialog.close();
    if (item.run) item.run();
    else location.assign(item.href);
  };
  const show = () => {
    const wanted = field.value.trim().toLowerCase();
    const seen = new Set();
    const fitting = [...known.map((item) => ({ item, ...score(item.text, wanted) })).filter(({ points }) => points !== undefined),
      ...(wanted === asked ? found : []).map((item) => ({ item, points: 0, letters: new Set(), ...score(item.text, wanted) }))]
      .filter(({ item: { href } }) => href === undefined || (!seen.has(href) && seen.add(href)));
    if (wanted !== "") fitting.sort((a, b) => b.points - a.points);
    const groups = Map.groupBy(fitting, ({ item }) => item.kind);
    shown = [];
    chosen = 0;
    list.replaceChildren(...[...groups].map(([kind, rows]) =>
      make("div", { role: "group", "aria-label": kind }, ...rows.slice(0, MOST).map(({ item, letters }) => {
        const at = shown.push(item) - 1;
        const { text, detail = "" } = item;
        const row = make("div", { role: "option", id: "palette-" + at }, make("span", {}, ...marked(text, letters)), make("span", { class: "soft small" }, detail));
        row.addEventListener("click", () => choose(at));
        return row;
      }))
    ));
    count.textContent = shown.length === 0 ? "No results" : shown.length + (shown.length === 1 ? " result." : " results.") + " ↑ and ↓ choose, Enter opens.";
    mark();
  };
  const look = async () => {
    const wanted = field.value.trim();
    if (wanted === "") return;
    const rows = await read(wanted).catch(() => []);
    if (field.value.trim() !== wanted) return;
    asked = wanted.toLowerCase();
    found = rows;
    show();
  };
  field.addEventListener("input", () => {
    show();
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE_MS);
  });
  field.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && shown.length > 0) {
      event.preventDefault();
      chosen = (chosen + step + shown.length) % shown.length;
      mark();
    }
    if (event.key === "Enter") {
      event.preventDefault();
      choose(chosen);
    }
  });
  dialog.addEventListener("click", ({ target }) => { if (target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => {
    clearTimeout(timer);
    dialog.remove();
    opener?.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  field.select();
  show();
  look();
  for (const source of [read(""), readProjects()]) {
    source.then((rows) => { known = [...known, ...rows]; show(); }, () => {});
  }
};
document.addEventListener("svc:palette", open);
open();
}
`;

/** Loads the overlay when it is first opened. */
export const PALETTE_OPENER = `
let hasPalette = false;
const openPalette = (way) => {
  if (hasPalette) return document.dispatchEvent(new Event("svc:palette"));
  hasPalette = true;
  const script = document.createElement("script");
  script.src = way.dataset.search;
  script.onerror = () => location.assign(way.href ?? way.action);
  document.head.append(script);
};
/* Whether a key opens the search. */
const isSearchKey = ({ key, ctrlKey, metaKey, altKey, target }) => {
  if (altKey) return false;
  if (ctrlKey || metaKey) return key.toLowerCase() === "k";
  return key === "/" && !target.closest("input, select, textarea");
};
`;

/** The name contains a hash of the content, so browsers can cache the file permanently. */
export const PALETTE_PATH = `/assets/palette-${sha256Hex(PALETTE).slice(0, 16)}.js`;

export const showPaletteScript = makeAsset("text/javascript; charset=utf-8", () => PALETTE);
