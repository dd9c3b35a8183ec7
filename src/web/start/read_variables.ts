/** @module Reads the variables in a pasted dotenv file. */
import { parse } from "dotenv";
import { variableName } from "../../contract/variables.ts";
import { readDotenvLines } from "../../lib/dotenv_lines.ts";

interface ReadVariables {
  readonly variables: ReadonlyMap<string, string>;
  /** The problems, at most one per line. They never contain values. */
  readonly problems: readonly string[];
}

/** Reads all valid variables and reports every problem. */
export function readVariables(text: string): ReadVariables {
  const { assignments, problems: unreadable } = readDotenvLines(text);
  const problems = unreadable.map(({ line, message }) => ({
    line,
    text: `Line ${line} ${message}`,
  }));
  const variables = new Map<string, string>();
  for (const { key, line, text } of assignments) {
    const named = variableName.safeParse(key);
    if (named.success) variables.set(key, parse(text)[key] ?? "");
    else problems.push({ line, text: `Line ${line}: ${named.error.issues[0]?.message}` });
  }
  const inOrder = problems.sort((one, other) => one.line - other.line);
  return { variables, problems: inOrder.map((problem) => problem.text) };
}
