/** @module The script for charts: uPlot, with data from the page's tables. */
import { fileURLToPath } from "node:url";
import config from "../../../deno.json" with { type: "json" };
import { sha256Hex } from "../../lib/hash.ts";
import { readTextFile } from "../../lib/utf8.ts";
import { makeAsset } from "./asset.ts";

const CHART = `
{
const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLE);
document.adoptedStyleSheets.push(sheet);
const colorOf = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const DAY = 86400;
const format = (options) => {
  const form = new Intl.DateTimeFormat("en-GB", options);
  return (seconds) => form.format(new Date(seconds * 1000));
};
/*
 * Days are in UTC, because the platform counts in UTC. Shorter steps are in the reader's time zone.
 */
const day = format({ day: "numeric", month: "short", timeZone: "UTC" });
const localDay = format({ day: "numeric", month: "short" });
const clock = format({ hour: "2-digit", minute: "2-digit" });
const moment = format({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const count = new Intl.NumberFormat("en-US");
const bytes = (value) => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  for (; value >= 1024 && at < units.length - 1; at++) value /= 1024;
  return (at === 0 || Number.isInteger(value) ? value : value.toFixed(1)) + " " + units[at];
};
const UNITS = {
  count: { text: (value) => count.format(value), steps: [1, 2, 5].flatMap((first) => Array.from({ length: 12 }, (_, power) => first * 10 ** power)).sort((one, other) => one - other) },
  bytes: { text: bytes, steps: Array.from({ length: 45 }, (_, power) => 2 ** power) },
};
/* Kinds also differ in shape and lightness, because not everyone can tell the colors apart. */
const KINDS = {
  bars: { color: "accent", alpha: "59", width: 1 },
  solid: { color: "danger", alpha: "", width: 1 },
  line: { color: "ink", alpha: undefined, width: 2, dash: [6, 4] },
  area: { color: "accent", alpha: "33", width: 2 },
};
const seriesOf = (heading, { text }) => {
  const { kind } = heading.dataset;
  const { color, alpha, width, dash } = KINDS[kind];
  return {
    label: heading.textContent,
    stroke: () => colorOf(color),
    fill: alpha === undefined ? undefined : () => colorOf(color) + alpha,
    width,
    dash,
    value: (_, value) => value === null || value === undefined ? (kind === "solid" ? text(0) : "–") : text(value),
    /* A line needs two points. A single point is drawn as a dot. */
    points: { show: (chart, at) => kind === "area" && chart.data[at].filter((value) => value !== null).length === 1 },
    ...(kind === "bars" || kind === "solid" ? { paths: uPlot.paths.bars({ size: [0.75, 48], align: 0 }) } : {}),
  };
};
const draw = (figure) => {
  const place = figure.querySelector("[data-place]");
  const rows = [...figure.querySelectorAll("tbody tr")];
  if (rows.length === 0) return;
  const headings = [...figure.querySelectorAll("th[data-kind]")];
  const step = Number(figure.dataset.step);
  const unit = UNITS[figure.dataset.unit];
  const times = rows.map(({ dataset }) => Number(dataset.time));
  const data = [times, ...headings.map(({ dataset: { kind } }, at) => rows.map((row) => {
    const { value } = row.querySelectorAll("[data-value]")[at].dataset;
    return value === "" || (kind === "solid" && value === "0") ? null : Number(value);
  }))];
  const isDays = step >= DAY;
  const axis = { stroke: () => colorOf("soft"), font: "12px system-ui, sans-serif", grid: { stroke: () => colorOf("line"), width: 1 }, ticks: { stroke: () => colorOf("line"), width: 1 } };
  const height = () => innerWidth < 640 ? 200 : 240;
  place.replaceChildren();
  for (const table of figure.querySelectorAll("[data-folds]")) table.open = false;
  const chart = new uPlot({
    width: place.clientWidth,
    height: height(),
    ...(isDays ? { tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC") } : {}),
    scales: {
      x: { range: (_, from, to) => [from - step / 2, Math.max(to, from + step) + step / 2] },
      y: { range: (_, from, to) => [0, Math.max(figure.dataset.unit === "bytes" ? 1024 : 4, to * 1.08)] },
    },
    legend: { markers: { dash: (chart, at) => chart.series[at].dash ? "dashed" : "solid" } },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    axes: [
      { ...axis, space: 64, incrs: [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY].filter((each) => each >= step),
        values: (_, splits, __, ___, every) => splits.map((at) => isDays ? day(at) : every >= DAY || clock(at) === "00:00" ? localDay(at) : clock(at)) },
      { ...axis, size: 64, space: 36, incrs: unit.steps, values: (_, splits) => splits.map(unit.text) },
    ],
    series: [{ label: isDays ? "Day" : "Time", value: (_, at) => at === null ? "–" : (isDays ? day : moment)(at) }, ...headings.map((heading) => seriesOf(heading, unit))],
  }, data, place);
  const area = chart.root.querySelector(".u-wrap");
  area.tabIndex = 0;
  area.setAttribute("role", "group");
  area.setAttribute("aria-label", place.dataset.label + ". Arrow keys move through the values.");
  const legend = chart.root.querySelector(".u-legend");
  const show = (at) => chart.setCursor({ left: chart.valToPos(times[Math.min(times.length - 1, Math.max(0, at))], "x"), top: 0 });
  area.addEventListener("focus", () => { legend.setAttribute("aria-live", "polite"); show(times.length - 1); });
  area.addEventListener("blur", () => legend.removeAttribute("aria-live"));
  area.addEventListener("keydown", (event) => {
    const moved = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (moved === undefined) return;
    event.preventDefault();
    show((chart.cursor.idx ?? times.length - 1) + moved);
  });
  new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: height() })).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    chart.redraw(false, true);
    for (const [at, marker] of [...legend.querySelectorAll(".u-marker")].entries()) marker.style.borderColor = chart.series[at + 1]?.stroke() ?? "";
  });
};
for (const figure of document.querySelectorAll("[data-chart]")) draw(figure);
}
`;

/** The pinned version of uPlot. */
const VERSION = /@([\d.]+)$/.exec(config.imports.uplot)?.[1] ?? "";

/** The name contains a hash of the content, so browsers can cache the file permanently. */
export const CHART_SCRIPT_PATH = `/assets/chart-${VERSION}-${sha256Hex(CHART).slice(0, 16)}.js`;

/**
 * Serves uPlot and its style sheet, which are bundled with the program, and the script that uses
 * them.
 */
export const showChartScript = makeAsset("text/javascript; charset=utf-8", async () => {
  const [library, style] = await Promise.all([
    readTextFile(fileURLToPath(import.meta.resolve("uplot/dist/uPlot.iife.min.js"))),
    readTextFile(fileURLToPath(import.meta.resolve("uplot/dist/uPlot.min.css"))),
  ]);
  return `${library}\n{ const STYLE = ${JSON.stringify(style)};${CHART}}`;
});
