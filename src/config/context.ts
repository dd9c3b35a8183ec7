/** @module The environment that a checkout uses, stored in `.svc/context.json`. */
import ignore from "ignore";
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomically } from "../lib/atomic_file.ts";
import { describeFileFault } from "../lib/file_fault.ts";
import { formatPath, type PathStep } from "../lib/diagnostic.ts";
import { describeUtf8Fault, NotUtf8Error, readTextFile } from "../lib/utf8.ts";

/** Path of the context, relative to the project's root. */
export const CONTEXT_PATH = ".svc/context.json";

/** Maximum size of a context file, in bytes. */
const MAX_BYTES = 16 * 1024;
const MAX_TEXT = 64;

/**
 * Ignores only this file, because other files in `.svc/`, such as `.svc/manifest.json`, belong in
 * git.
 */
const IGNORE_LINE = `/${CONTEXT_PATH}`;
const IGNORE_FILE = ".gitignore";

const reference = z.string().min(1).max(MAX_TEXT);

const contextSchema = z.strictObject({
  version: z.literal(1),
  /** The project of the environment. The context does not apply to other projects. */
  projectId: reference,
  environment: z.strictObject({ id: reference, name: reference }),
});

/** A chosen environment and its project. */
export type CheckoutContext = Omit<z.output<typeof contextSchema>, "version">;

/** The context file exists but cannot be used. */
export class ContextFileError extends Error {
  override readonly name = "ContextFileError";

  constructor(readonly path: string, problem: string, options?: ErrorOptions) {
    super(`Cannot use ${path}: ${problem}`, options);
  }
}

/** Returns the absolute path of the context, given the root of a project. */
export function contextPath(root: string): string {
  return join(root, CONTEXT_PATH);
}

async function readBounded(path: string): Promise<string | undefined> {
  try {
    const { isFile, size } = await Deno.stat(path);
    if (!isFile) throw new ContextFileError(path, "it is not a file");
    if (size > MAX_BYTES) {
      throw new ContextFileError(path, `it has ${size} bytes, more than ${MAX_BYTES}`);
    }
    return await readTextFile(path);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound || cause instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    if (cause instanceof ContextFileError) throw cause;
    if (cause instanceof NotUtf8Error) {
      const { line, column } = cause.fault.position;
      const problem = `line ${line}, column ${column}: ${describeUtf8Fault(cause.fault)}`;
      throw new ContextFileError(path, problem, { cause });
    }
    const reason = describeFileFault(cause);
    throw new ContextFileError(path, `it cannot be read: ${reason}`, { cause });
  }
}

/**
 * Reads the context in a project's root. Returns `undefined` if none is set. Throws {@link
 * ContextFileError} if the file is invalid.
 */
export async function loadContext(root: string): Promise<CheckoutContext | undefined> {
  const path = contextPath(root);
  const text = await readBounded(path);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ContextFileError(path, "it is not valid JSON", { cause });
  }
  const checked = contextSchema.safeParse(value);
  if (!checked.success) {
    const places = checked.error.issues
      .map((issue) => formatPath(issue.path as PathStep[]) || "the top level");
    throw new ContextFileError(path, `invalid at ${[...new Set(places)].join(", ")}`);
  }
  const { projectId, environment } = checked.data;
  return { projectId, environment };
}

/** Atomically writes the context to a project's root. */
export async function saveContext(root: string, context: CheckoutContext): Promise<void> {
  const checked = contextSchema.parse({ version: 1, ...context });
  await writeFileAtomically(contextPath(root), `${JSON.stringify(checked, null, 2)}\n`);
}

/** Removes the context, even an invalid one. Returns true if there was one. */
export async function clearContext(root: string): Promise<boolean> {
  try {
    await Deno.remove(contextPath(root));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return false;
    }
    throw error;
  }
}

/**
 * Adds the context to the text of a `.gitignore`. Returns `undefined` if it already ignores the
 * context. The other content does not change.
 */
export function withContextIgnored(source: string): string | undefined {
  if (ignore().add(source).ignores(CONTEXT_PATH)) return undefined;
  const newline = source.includes("\r\n") ? "\r\n" : "\n";
  const gap = source === "" || source.endsWith("\n") ? "" : newline;
  return `${source}${gap}${IGNORE_LINE}${newline}`;
}

/** Makes git ignore the context in a project's root. Returns true if that changed `.gitignore`. */
export async function ignoreContext(root: string): Promise<boolean> {
  const path = join(root, IGNORE_FILE);
  let source = "";
  let mode: number | null = null;
  try {
    source = await readTextFile(path);
    ({ mode } = await Deno.stat(path));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const wanted = withContextIgnored(source);
  if (wanted === undefined) return false;
  await writeFileAtomically(path, wanted, mode === null ? {} : { mode: mode & 0o777 });
  return true;
}
