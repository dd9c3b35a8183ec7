/**
 * Draws the first table of docs/performance.md as a bar chart (SVG). Has no side effects.
 *
 * @module
 */
import { escapeXml } from "./_escape_xml.ts";

interface Row {
  readonly figure: string;
  /** Requests per second, by program. */
  readonly rates: ReadonlyMap<string, number>;
}

const PROGRAMS = ["svc", "nginx", "Caddy"] as const;
const COLORS: Readonly<Record<string, string>> = {
  svc: "#1f9d72",
  nginx: "#8b9094",
  Caddy: "#c3c7c9",
};
const HEADING = "## One path, side by side";
const WIDTH = 760;
const LABEL = 190;
const BAR = 16;
const GAP = 22;

const cellsOf = (line: string): string[] => line.split("|").slice(1, -1).map((cell) => cell.trim());

/** Reads the requests per second of each program from the first table below the heading. */
function readRates(page: string): Row[] {
  const lines = page.slice(page.indexOf(HEADING)).split("\n");
  const start = lines.findIndex((line) => line.startsWith("|"));
  const table = lines.slice(start);
  const rows = table.slice(0, table.findIndex((line) => !line.startsWith("|"))).map(cellsOf);
  const [heads = [], , ...body] = rows;
  return body.map(([figure = "", ...cells]) => ({
    figure,
    rates: new Map(
      cells.flatMap((cell, index) => {
        const rate = /^([\d,]+)\/s/.exec(cell)?.[1];
        return rate === undefined ? [] : [[heads[index + 1]!, Number(rate.replaceAll(",", ""))]];
      }),
    ),
  }));
}

function drawRow({ figure, rates }: Row, top: number): string {
  const shown = PROGRAMS.filter((program) => rates.has(program));
  // Rows differ by a factor of twenty, so each has its own scale.
  const most = Math.max(...shown.map((program) => rates.get(program)!));
  const bars = shown.map((program, index) => {
    const rate = rates.get(program)!;
    const y = top + index * (BAR + 3);
    const width = Math.max(2, rate / most * (WIDTH - LABEL - 150));
    return `<rect x="${LABEL}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="3" fill="${
      COLORS[program]
    }"/><text x="${(LABEL + width + 8).toFixed(1)}" y="${y + 12.5}" class="n">${
      rate.toLocaleString("en")
    } ${program}</text>`;
  });
  return `<text x="0" y="${top + 12.5}" class="f">${escapeXml(figure)}</text>${bars.join("")}`;
}

/** Draws the requests per second of svc, nginx and Caddy. Longer bars are better. */
export function renderBenchmarks(page: string): string {
  const rows = readRates(page);
  const step = PROGRAMS.length * (BAR + 3) + GAP;
  const height = rows.length * step + 34;
  const label = rows.map(({ figure, rates }) =>
    `${figure}: ${[...rates].map(([program, rate]) => `${program} ${rate}`).join(", ")}`
  ).join(". ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-16 -16 ${WIDTH + 32} ${
    height + 16
  }" role="img" aria-label="Requests per second. ${escapeXml(label)}">
<style>
text { font: 13px system-ui, sans-serif; fill: #16191b; } .f { font-weight: 600; } .n { fill: #575e63; font-size: 12px; }
</style>
<rect x="-16" y="-16" width="${WIDTH + 32}" height="${height + 16}" rx="12" fill="#fff"/>
<text x="0" y="8" class="n">Requests per second on two cores, HTTP/1.1, 32 connections. Longer is better.</text>
${rows.map((row, index) => drawRow(row, 28 + index * step)).join("\n")}
</svg>
`;
}
