/** @module Describes all problems in a server's code as one error. */
import { type Diagnostic, formatPlace } from "../../lib/diagnostic.ts";
import { formatCount, printable } from "../../lib/format.ts";
import { BuildError } from "../build_error.ts";

/** Lists all problems in a server's code with their positions. */
export function serverProblems(
  entry: string,
  problems: readonly (Diagnostic & { readonly file: string })[],
): BuildError {
  const lines = problems.map(({ file, position, message, hint }) =>
    printable(
      `  ${formatPlace(file, position)}: ${message}${hint === undefined ? "" : `. ${hint}`}`,
    )
  );
  return new BuildError(
    "server_invalid",
    `Fix the server ${entry}: ${formatCount(problems.length, "problem")}\n` + lines.join("\n"),
    { details: { problems } },
  );
}
