/**
 * The overlay that a key opens on every page: actions of the page, pages, projects, and what the
 * search finds. It is loaded when it is first opened; without it, the search is a page.
 *
 * @module
 */
import { sha256Hex } from "../../lib/hash.ts";
import { makeAsset } from "./asset.ts";

const PALETTE = `"use strict";
{
/* Most rows that are shown. */
const MOST = 12;
const PAUSE_MS = 150;
const way = document.querySelector("[data-search]");
const search = new URL(way.href);
const textOf = (node) => node.textContent.replace(/\\s+/g, " ").trim();

/* How well a text fits, by letters in their order; 0 where it does not. Starts of words count more. */
const score = (text, wanted) => {
  const plain = text.toLowerCase();
  const at = plain.indexOf(wanted);
  if (at !== -1) return 1000 - at - plain.length / 100;
  let points = 1;
  let from = 0;
  for (const letter of wanted.replaceAll(" ", "")) {
    const found = plain.indexOf(letter, from);
    if (found === -1) return 0;
    points += found === 0 || /[^a-z0-9]/.test(plain[found - 1]) ? 10 : found === from ? 5 : 0;
    from = found + 1;
  }
  return points - plain.length / 100;
};

/* The rows of a page of results. */
const read = async (query) => {
  const address = new URL(search);
  address.searchParams.set("q", query);
  const response = await fetch(address);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return [...page.querySelectorAll("#found section")].flatMap((section) =>
    [...section.querySelectorAll("a.whole")].map((link) => ({
      text: textOf(link),
      kind: textOf(section.querySelector("h2")),
      href: link.getAttribute("href"),
    }))
  );
};
const readProjects = async () => {
  const [, , workspace] = search.pathname.split("/");
  const response = await fetch("/v1/projects?limit=100&workspace=" + workspace);
  const { items } = await response.json();
  return items.map(({ name, displayName }) => ({
    text: displayName ?? name,
    kind: "Projects",
    href: "/workspaces/" + workspace + "/projects/" + name,
  }));
};
/* What the page itself offers. */
const readActions = () =>
  [...document.querySelectorAll(".band .acts a, .band .acts button")].map((node) => ({
    text: textOf(node),
    kind: "Actions",
    run: () => node.click(),
  }));

const make = (name, attributes, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};

const open = () => {
  if (document.querySelector("dialog[open]") !== null) return;
  const opener = document.activeElement;
  const field = make("input", {
    type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list",
    "aria-label": "Search or go to", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false",
    maxlength: "100", placeholder: "Search or go to…",
  });
  const list = make("ul", { id: "palette-list", role: "listbox", "aria-label": "Results" });
  const count = make("p", { class: "hush", role: "status" });
  const dialog = make("dialog", { class: "palette", "aria-label": "Search or go to" }, field, list, count);
  let known = readActions();
  let found = [];
  let shown = [];
  let chosen = 0;
  let timer;
  let asked = "";

  const mark = () => {
    [...list.children].forEach((row, at) => row.setAttribute("aria-selected", String(at === chosen)));
    const row = list.children[chosen];
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
    const fitting = known.map((item) => ({ item, points: wanted === "" ? 1 : score(item.text, wanted) }))
      .filter(({ points }) => points > 0).sort((a, b) => b.points - a.points).map(({ item }) => item);
    const seen = new Set();
    shown = [...fitting, ...(wanted === asked ? found : [])]
      .filter(({ href }) => href === undefined || (!seen.has(href) && seen.add(href))).slice(0, MOST);
    chosen = 0;
    list.replaceChildren(...shown.map(({ text, kind }, at) => {
      const row = make("li", { role: "option", id: "palette-" + at }, make("span", {}, text), make("span", { class: "soft small" }, kind));
      row.addEventListener("click", () => choose(at));
      return row;
    }));
    count.textContent = shown.length === 0 ? "No results" : shown.length + " results";
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
  show();
  for (const source of [read(""), readProjects()]) {
    source.then((rows) => { known = [...known, ...rows]; show(); }, () => {});
  }
};
document.addEventListener("svc:palette", open);
open();
}
`;

/** Named after its content, so that browsers can cache it for good. */
export const PALETTE_PATH = `/assets/palette-${sha256Hex(PALETTE).slice(0, 16)}.js`;

export const showPaletteScript = makeAsset("text/javascript; charset=utf-8", () => PALETTE);
