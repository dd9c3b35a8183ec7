/** @module The destination of a platform's log lines. */
import type { PlatformLog } from "../../serve/mod.ts";
import type { Context } from "../session/context.ts";

/** Writes human-readable lines, or one JSON object per line: `{ time, level, message }`. */
export function createPlatformLog(
  { ui, now }: Pick<Context, "ui" | "now">,
  format: "text" | "json",
): (line: PlatformLog) => void {
  if (format === "text" || ui.json) return ({ level, message }) => ui.log("deploy", level, message);
  return ({ level, message }) => {
    const time = new Date(now()).toISOString();
    ui.stderr.write(`${JSON.stringify({ time, level, message })}\n`);
  };
}
