/**
 * Completion in a shell, and the question for an argument that a person left out.
 *
 * @module
 */
import type { TypedLine } from "./complete.ts";

export { askMissing, missingArgument, withArgument } from "./ask_missing.ts";
export { COMPLETE, COMPLETION } from "./group.ts";

/** What fits at the end of `words`, as the shell's script reads it; loads one command at most. */
export async function complete(words: readonly string[], line: TypedLine): Promise<string> {
  return await (await import("./complete.ts")).complete(words, line);
}
