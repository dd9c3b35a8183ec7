/** @module A server's errors, as its author sees them. */
import { cleanStack } from "../engine/clean_stack.ts";
import { truncate } from "../lines.ts";

/** Folders of this code. */
const OWN = ["./", "../engine/"].map((folder) => new URL(folder, import.meta.url).href);

/** Text for the log, of bounded length and with stacks cleaned by `cleanStack`. */
export function describeText(text: string, directory: string): string {
  return truncate(cleanStack(text, { directory, own: OWN }));
}

/** Message and stack, for the log. */
export function describeError(error: unknown, directory: string): string {
  if (!(error instanceof Error)) return truncate(`Uncaught ${Deno.inspect(error)}`);
  return describeText(error.stack ?? `${error.name}: ${error.message}`, directory);
}
