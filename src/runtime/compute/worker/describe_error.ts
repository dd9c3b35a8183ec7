/** @module A server's errors, as its author sees them. */
import { cleanStack } from "../engine/clean_stack.ts";
import { truncate } from "../lines.ts";

/** The folders that contain this code. */
const OWN = ["./", "../engine/"].map((folder) => new URL(folder, import.meta.url).href);

/**
 * Returns text for the log, which has a bounded length and stacks that `cleanStack()` has cleaned.
 */
export function describeText(text: string, directory: string): string {
  return truncate(cleanStack(text, { directory, own: OWN }));
}

/** Returns an error's message and stack, for the log. */
export function describeError(error: unknown, directory: string): string {
  if (!(error instanceof Error)) return truncate(`Uncaught ${Deno.inspect(error)}`);
  return describeText(error.stack ?? `${error.name}: ${error.message}`, directory);
}
