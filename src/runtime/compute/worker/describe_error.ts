/**
 * Errors of a server, as its author sees them.
 *
 * @module
 */
import { pathToFileURL } from "node:url";
import { truncate } from "../lines.ts";

/** A frame of the runtime, not of the server. */
const RUNTIME_FRAME = /^\s+at (?:.*(?:\(|async ))?(?:ext|node):/;

/** Where this code lies: its frames do not help the author either. */
const OWN_FOLDER = new URL("./", import.meta.url).href;

/** Text without the frames of the runtime and of this code; paths are relative to the deployment's folder. */
export function cleanStack(text: string, directory: string): string {
  if (!text.includes("    at ")) return text;
  const lines = text.split("\n").filter((line) =>
    !RUNTIME_FRAME.test(line) && !(/^\s+at /.test(line) && line.includes(OWN_FOLDER))
  );
  return lines.join("\n").replaceAll(`${pathToFileURL(directory).href}/`, "");
}

/** Message and stack, as `cleanStack` leaves them. */
export function describeError(error: unknown, directory: string): string {
  if (!(error instanceof Error)) return truncate(`Uncaught ${Deno.inspect(error)}`);
  return truncate(cleanStack(error.stack ?? `${error.name}: ${error.message}`, directory));
}
