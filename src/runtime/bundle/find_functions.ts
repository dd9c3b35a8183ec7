/** @module A project's functions: one for each file directly in `functions/`. */
import { join } from "node:path";
import { FUNCTION_NAME, MAX_FUNCTIONS, MAX_NAME_LENGTH } from "./limits.ts";
import { fileProblem, type FunctionProblem } from "./problems.ts";

export interface FoundFunction {
  readonly name: string;
  /** Relative to the project, with `/`. */
  readonly file: string;
}

interface FoundFunctions {
  readonly functions: readonly FoundFunction[];
  readonly problems: readonly FunctionProblem[];
}

const ENTRY = /^(.*)\.([jt]s)$/;

/** Types, tests and helpers are not functions: `x.d.ts`, `x_test.ts`, `x.test.ts`, `_x.ts`. */
const NO_ENTRY = /(?:\.d\.ts|[._]test\.[jt]s)$|^[_.]/;

function checkName(name: string, file: string): FunctionProblem[] {
  if (name.length <= MAX_NAME_LENGTH && FUNCTION_NAME.test(name)) return [];
  const message =
    `A function name must have 1 to ${MAX_NAME_LENGTH} characters of a-z, 0-9 and hyphens, ` +
    `with no hyphen at either end: it is "${name}"`;
  return [fileProblem(file, "invalid_name", message, "Rename the file, or start its name with _")];
}

/** Checks the folder's file names. */
export function judgeNames(files: readonly string[]): FoundFunctions {
  const functions = new Map<string, FoundFunction>();
  const problems: FunctionProblem[] = [];
  for (const entry of files.toSorted()) {
    const name = NO_ENTRY.test(entry) ? undefined : ENTRY.exec(entry)?.[1];
    if (name === undefined) continue;
    const file = `functions/${entry}`;
    problems.push(...checkName(name, file));
    const other = functions.get(name);
    if (other === undefined) functions.set(name, { name, file });
    else {
      const message =
        `Function "${name}" must come from a single file, but ${other.file} also exists`;
      problems.push(fileProblem(file, "duplicate_function", message));
    }
  }
  if (functions.size > MAX_FUNCTIONS) {
    const message =
      `A project can have at most ${MAX_FUNCTIONS} functions: it has ${functions.size}`;
    problems.push(fileProblem("functions/", "too_many_functions", message));
  }
  return { functions: [...functions.values()], problems };
}

/** Lists a project's functions. The list is empty if the project has no `functions` folder. */
export async function findFunctions(projectDir: string): Promise<FoundFunctions> {
  const files: string[] = [];
  try {
    for await (const entry of Deno.readDir(join(projectDir, "functions"))) {
      if (!entry.isDirectory) files.push(entry.name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) {
      throw error;
    }
  }
  return judgeNames(files);
}
