/** @module Reads a dotenv file. All of its variables are checked before any of them is set. */
import { parse } from "dotenv";
import type { EnvDeclaration } from "../../config/project_config.ts";
import type { VariableCategory } from "../../contract/variables.ts";
import { checkValue, readNamedFile } from "../command/read_value.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { formatCount, printable } from "../terminal/format.ts";
import { readDotenvLines } from "../../lib/dotenv_lines.ts";
import { categoryOfVisibility } from "./missing_variables.ts";
import { isVariableName } from "./variable_name.ts";

/** Maximum size of a dotenv file, in bytes. */
const MAX_FILE_BYTES = 1024 * 1024;

interface DotenvEntry {
  readonly key: string;
  readonly value: string;
  readonly category: VariableCategory;
}

interface DotenvProblem {
  /** Key of the variable, or `line 3` if there is none. */
  readonly key: string;
  readonly message: string;
}

interface DotenvFacts {
  /** Category of variables without a declaration, from `--plain` or `--secret`. */
  readonly flag: VariableCategory | undefined;
  readonly declarations: ReadonlyMap<string, EnvDeclaration>;
  /** True if empty values are allowed. */
  readonly allowEmpty?: boolean | undefined;
}

/**
 * Reads the text of a dotenv file. Values are literal: nothing is expanded or run. A declaration
 * sets the category of its variable, and the flag sets the category of all others. Problems contain
 * keys but never values.
 */
export function parseDotenv(
  text: string,
  { flag, declarations, allowEmpty }: DotenvFacts,
): { readonly entries: readonly DotenvEntry[]; readonly problems: readonly DotenvProblem[] } {
  const entries: DotenvEntry[] = [];
  const problems: DotenvProblem[] = [];
  const { assignments, problems: lines } = readDotenvLines(text);
  for (const { line, message } of lines) problems.push({ key: `line ${line}`, message });
  const lineOf = new Map<string, number>();
  for (const { key, line, text } of assignments) {
    const earlier = lineOf.get(key);
    if (earlier !== undefined) {
      problems.push({ key, message: `is set twice, on lines ${earlier} and ${line}` });
      continue;
    }
    lineOf.set(key, line);
    const value = parse(text)[key] ?? "";
    const declaration = declarations.get(key);
    const category = declaration === undefined
      ? flag
      : categoryOfVisibility(declaration.visibility);
    if (!isVariableName(key)) {
      problems.push({
        key,
        message: "must be 1 to 128 letters, digits and _, not beginning with a digit",
      });
    } else if (category === undefined) {
      problems.push({ key, message: "is not declared in svc.toml: use --plain or --secret" });
    } else {
      const wanted = checkValue(value, { category, allowEmpty });
      if (wanted === undefined) entries.push({ key, value, category });
      else problems.push({ key, message: wanted });
    }
  }
  return { entries, problems };
}

/** Formats the problems with keys, one per line. */
export function formatKeyProblems(problems: readonly DotenvProblem[]): string {
  return problems.map(({ key, message }) => `\n  ${printable(key)}: ${message}`).join("");
}

/** Reads and checks a dotenv file that the user named. Throws an error that lists all problems. */
export async function readDotenvFile(
  ctx: Context,
  given: string,
  facts: DotenvFacts,
): Promise<readonly DotenvEntry[]> {
  const { entries, problems } = parseDotenv(await readNamedFile(ctx, given, MAX_FILE_BYTES), facts);
  if (problems.length > 0) {
    const count = formatCount(problems.length, "problem");
    throw new CliError(
      "variables_refused",
      `${given} has ${count}. Nothing was set${formatKeyProblems(problems)}`,
      { details: { problems: problems.map(({ key, message }) => ({ path: key, message })) } },
    );
  }
  if (entries.length > 0) return entries;
  throw new CliError("variables_refused", `${given} has no variables`);
}
