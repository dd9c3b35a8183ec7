/** @module Reports from a dev server, on the terminal or as log lines. */
import type { DevReport, LoggedRequest } from "../../dev/mod.ts";
import type { Context } from "../session/context.ts";
import type { Palette } from "../terminal/color.ts";
import { printable } from "../terminal/format.ts";

/** Prefix for each line that the project's own dev server prints. */
const PREFIX = "│";

function colorOf(status: number, colors: Palette): (text: string) => string {
  if (status >= 500) return colors.red;
  if (status >= 400) return colors.yellow;
  return status >= 300 ? colors.cyan : colors.green;
}

/**
 * Formats a request on one line: status, time, source of the response, cache, and matching rules.
 */
function formatRequest(request: LoggedRequest, colors: Palette): string {
  const { status, method, target, durationMs, layer, cache, rules, problem } = request;
  const facts = [
    `${durationMs.toFixed(1)} ms`,
    layer,
    ...(cache === undefined ? [] : [cache]),
    ...(rules.length === 0 ? [] : [`rules: ${rules.join(", ")}`]),
  ];
  const line = `${colorOf(status, colors)(String(status))} ${method} ${printable(target)} ` +
    colors.dim(printable(facts.join("  ")));
  return problem === undefined ? line : `${line}\n    ${colors.red(printable(problem))}`;
}

/** Creates the report. Its log lines have the phase `deploy`, as in `svc serve`. */
export function createDevReport(
  { ui, stdinIsTerminal }: Pick<Context, "ui" | "stdinIsTerminal">,
): DevReport {
  const { colors, json, stderr } = ui;
  return {
    say: (level, message) => ui.log("deploy", level, message),
    crashed(message) {
      ui.log("deploy", "error", message);
      if (stdinIsTerminal) ui.note("  Press r to start it again");
    },
    output: (line) =>
      json ? ui.log("build", "info", line) : stderr.write(`${colors.dim(PREFIX)} ${line}\n`),
    request: (request) => {
      if (json) ui.log("deploy", "info", formatRequest(request, colors));
      else stderr.write(`${formatRequest(request, colors)}\n`);
    },
  };
}
