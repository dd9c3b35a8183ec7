/**
 * The variables of a pasted dotenv file.
 *
 * @module
 */
import { parse } from "dotenv";
import { variableName } from "../../contract/variables.ts";
import { readDotenvLines } from "../../lib/dotenv_lines.ts";

export type ReadVariables =
  | { readonly ok: true; readonly variables: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly problem: string };

/** Reads all variables, or reports the first problem; it never holds a value. */
export function readVariables(text: string): ReadVariables {
  const { assignments, problems: [problem] } = readDotenvLines(text);
  if (problem !== undefined) {
    return { ok: false, problem: `Line ${problem.line} ${problem.message}` };
  }
  const variables = new Map<string, string>();
  for (const { key, line, text } of assignments) {
    const named = variableName.safeParse(key);
    if (!named.success) {
      return { ok: false, problem: `Line ${line}: ${named.error.issues[0]?.message}` };
    }
    variables.set(key, parse(text)[key] ?? "");
  }
  return { ok: true, variables };
}
