/** @module Explains an error code, as terminal text and as Markdown. Pure. */
import type { ErrorCode } from "../../contract/common.ts";
import type { CliErrorCode } from "../errors/cli_error.ts";
import type { Explanation } from "../../contract/error_codes/explanation.ts";
import { PLATFORM_CODES } from "../../contract/error_codes/platform_codes.ts";
import { TOOL_CODES } from "./tool_codes.ts";

/** Every error code of a command or request, sorted. */
export const EXPLANATIONS: ReadonlyMap<string, Explanation> = new Map<string, Explanation>(
  Object.entries(
    { ...PLATFORM_CODES, ...TOOL_CODES } satisfies Record<ErrorCode | CliErrorCode, Explanation>,
  ).sort(([one], [other]) => one < other ? -1 : 1),
);

/** Returns the lines that explain a code on a terminal. */
export function formatExplanation(code: string, explanation: Explanation): string {
  const { meaning, remedy, commands, guide } = explanation;
  return [
    `${code}: ${meaning}`,
    remedy,
    ...commands.length === 0 ? [] : ["", "Commands:", ...commands.map((line) => `  svc ${line}`)],
    "",
    `Guide: docs/${guide}`,
  ].join("\n");
}

export function renderErrorPage(): string {
  const sections = [...EXPLANATIONS].flatMap(([code, { meaning, remedy, commands, guide }]) => [
    `## \`${code}\``,
    "",
    `${meaning} ${remedy}`,
    "",
    `See ${[...commands.map((line) => `\`svc ${line}\``), `[${guide}](${guide})`].join(", ")}.`,
    "",
  ]);
  return [
    "# Error codes",
    "",
    "<!-- Generated from `src/cli/explain` by `UPDATE_GOLDENS=1 deno test -A src/cli/explain`. -->",
    "",
    "A command that fails with `--json` prints `{ error, code, hint, next, docs, … }`, and a failed API",
    "request returns `{ error, code, requestId, hint, docs, … }`. `error` is human-readable and can",
    "change; `code` does not. `svc explain <code>` prints the same text.",
    "",
    ...sections,
  ].join("\n");
}
