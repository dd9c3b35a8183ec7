/** @module The project's current problems, for the overlay on its pages. */
import { join } from "node:path";
import { type Diagnostic, renderDiagnostic } from "../lib/diagnostic.ts";
import { readTextFile } from "../lib/utf8.ts";

/** Maximum number of problems to show for one part. */
const MAX_PROBLEMS = 10;
/** Maximum length of one problem's text, in characters. */
const MAX_TEXT = 4000;

export interface Problem {
  /** Names the part that is unusable. */
  readonly title: string;
  /** Position, message and source lines, as shown in a terminal. */
  readonly text: string;
}

/** Parts of a project, each with its own problems. `calls` are errors in running functions. */
type ProblemPart = "files" | "functions" | "rules" | "calls";

export class Problems {
  readonly #byPart = new Map<ProblemPart, readonly Problem[]>();
  readonly #changed: (problems: readonly Problem[]) => void;

  constructor(changed: (problems: readonly Problem[]) => void) {
    this.#changed = changed;
  }

  get all(): readonly Problem[] {
    return [...this.#byPart.values()].flat();
  }

  /** Replaces the problems of a part. */
  set(part: ProblemPart, problems: readonly Problem[]): void {
    const had = this.#byPart.get(part)?.length ?? 0;
    if (had === 0 && problems.length === 0) return;
    const shown = problems.slice(0, MAX_PROBLEMS)
      .map(({ title, text }) => ({ title, text: text.slice(0, MAX_TEXT) }));
    this.#byPart.set(part, shown);
    this.#changed(this.all);
  }

  /** Adds a problem to a part, unless it is already there. */
  add(part: ProblemPart, problem: Problem): void {
    const known = this.#byPart.get(part) ?? [];
    if (known.some(({ text }) => text === problem.text.slice(0, MAX_TEXT))) return;
    this.set(part, [...known, problem].slice(-MAX_PROBLEMS));
  }
}

/**
 * Reads a file of a project. Returns `undefined` if it is outside the project or cannot be read.
 */
const readSource = (home: string, file: string): Promise<string | undefined> =>
  readTextFile(join(home, file)).catch(() => undefined);

/** Describes problems in files, with the line of each problem. */
export function describeProblems(
  home: string,
  title: string,
  problems: readonly (Diagnostic & { readonly file: string })[],
): Promise<Problem[]> {
  return Promise.all(
    problems.slice(0, MAX_PROBLEMS).map(async (problem) => {
      const { file } = problem;
      const source = await readSource(home, file);
      return { title, text: renderDiagnostic(problem, { file, ...(source && { source }) }) };
    }),
  );
}

/** Matches the first stack frame that is in a file of the project. */
const FRAME = /(?:\(|at )(?:file:\/\/)?((?!node:|ext:|data:|https?:)[^\s():]+):(\d+):(\d+)\)?/;

/** Describes an error based on its stack, with the line that threw it. */
export async function describeThrown(
  home: string,
  title: string,
  { message, stack }: { readonly message: string; readonly stack: string },
): Promise<Problem> {
  const [, file, line, column] = FRAME.exec(stack) ?? [];
  const source = file === undefined ? undefined : await readSource(home, file);
  if (file === undefined || source === undefined) return { title, text: stack };
  const position = { line: Number(line), column: Number(column) };
  const diagnostic = { severity: "error", code: "thrown", message, path: "", position } as const;
  const frames = stack.split("\n").filter((each) => /^\s*at /.test(each)).join("\n");
  return { title, text: `${renderDiagnostic(diagnostic, { file, source })}\n${frames}` };
}
