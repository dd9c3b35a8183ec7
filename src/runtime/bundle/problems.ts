/** @module Turns esbuild's messages into diagnostics. */
import type { Message } from "esbuild";
import { isBuiltin } from "node:module";
import type { Diagnostic } from "../../lib/diagnostic.ts";

export interface FunctionProblem extends Diagnostic {
  /** Path of the file, relative to the project if the file is in it. */
  readonly file: string;
  /** The package that causes the problem, if it is known. */
  readonly subject?: string;
}

/** Creates a problem about a whole file. */
export function fileProblem(
  file: string,
  code: string,
  message: string,
  hint?: string,
): FunctionProblem {
  return {
    severity: "error",
    code,
    message,
    path: "",
    file,
    hint,
  };
}

/** Returns true for Node's own modules, with and without `node:`. */
export function isNodeBuiltin(specifier: string): boolean {
  return specifier.startsWith("node:") || isBuiltin(specifier);
}

/** Translates one message. `file` is the entry, which is used for messages without a position. */
export function toProblem(message: Message, file: string): FunctionProblem {
  const { location, text, notes } = message;
  const hint = notes.find((note) => note.text !== "")?.text;
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return {
    severity: "error",
    code: message.pluginName === "" ? "bundle_failed" : "import_refused",
    message: capital.replace(/\.$/, ""),
    path: "",
    file: location?.file ?? file,
    hint,
    ...(location === null ? {} : {
      position: {
        line: location.line,
        column: location.column + 1,
        length: Math.max(1, location.length),
      },
    }),
  };
}
