/**
 * Draws a terminal session as an animated SVG. Has no side effects.
 *
 * @module
 */
import { escapeXml } from "./_escape_xml.ts";
import type { PastedOutput } from "./_pasted_commands.ts";

const LINE = 20;
const LEFT = 24;
const TOP = 58;
const COLUMNS = 92;
const WIDTH = 880;
/** Pause before a command and between the lines of its output, in seconds. */
const COMMAND_PAUSE = 0.9;
const LINE_PAUSE = 0.08;

const STYLE = `
text { font: 14px ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace; fill: #eaf4ef; white-space: pre; }
.p { fill: #5fd6a8; } .s { fill: #9cc4b3; } .c { font-weight: 600; }
g { opacity: 0; animation: show .01s forwards; }
@keyframes show { to { opacity: 1; } }
@media (prefers-reduced-motion: reduce) { g { opacity: 1; animation: none; } }
`;

interface Line {
  readonly text: string;
  readonly kind: "command" | "more" | "output";
  readonly at: number;
}

function layOut(outputs: readonly PastedOutput[]): Line[] {
  let at = 0.3;
  return outputs.flatMap(({ text, output }) => {
    const [first = "", ...more] = text.split("\n");
    const shown = output.trimEnd().split("\n").filter((line) => line !== "");
    const lines = [
      { text: first, kind: "command" as const },
      ...more.map((each) => ({ text: `> ${each}`, kind: "more" as const })),
      ...shown.map((each) => ({ text: each, kind: "output" as const })),
    ].map((line) => ({ ...line, at: at += LINE_PAUSE }));
    at += COMMAND_PAUSE;
    return lines;
  });
}

function cut(text: string): string {
  return text.length > COLUMNS ? `${text.slice(0, COLUMNS - 1)}…` : text;
}

function drawLine({ text, kind, at }: Line, index: number): string {
  const place = `x="${LEFT}" y="${TOP + index * LINE}"`;
  const shown = escapeXml(cut(text));
  const content = kind === "command"
    ? `<text ${place}><tspan class="p">$ </tspan><tspan class="c">${shown}</tspan></text>`
    : `<text ${place}${
      kind === "output" && !text.startsWith("✓") ? ' class="s"' : ""
    }>${shown}</text>`;
  return `<g style="animation-delay:${at.toFixed(2)}s">${content}</g>`;
}

/** Draws commands and their outputs, which appear one after the other. */
export function renderTerminal(outputs: readonly PastedOutput[]): string {
  const lines = layOut(outputs);
  const height = TOP + lines.length * LINE + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="A terminal: svc deploys a site, changes it and rolls back">
<style>${STYLE}</style>
<rect width="${WIDTH}" height="${height}" rx="12" fill="#0b2a21"/>
<circle cx="26" cy="24" r="6" fill="#ff9a8f"/><circle cx="46" cy="24" r="6" fill="#f0c36a"/><circle cx="66" cy="24" r="6" fill="#5fd6a8"/>
${lines.map(drawLine).join("\n")}
</svg>
`;
}
