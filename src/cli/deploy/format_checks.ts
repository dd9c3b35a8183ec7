/** @module Formats the results of a deployment's checks as readable text. */
import type { CheckReport } from "../../contract/release_checks.ts";
import { formatDuration, printable } from "../terminal/format.ts";

/** Formats one line for each check, in the same order as in svc.toml. */
export const formatChecks = ({ results }: CheckReport): string =>
  results.map(({ name, passed, durationMs, problem }) =>
    passed
      ? `  passed  ${printable(name)} (${formatDuration(durationMs)})`
      : `  failed  ${printable(name)}: ${printable(problem ?? "it failed")}`
  ).join("\n");
