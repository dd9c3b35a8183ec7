/** @module Stack traces as a server's author sees them. */
import { pathToFileURL } from "node:url";

/** Matches one of the runtime's stack frames, as opposed to the server's. */
const RUNTIME_FRAME = /^\s+at (?:.*(?:\(|async ))?(?:ext|node):/;
const FRAME = /^\s+at /;

interface StackPlaces {
  /** Absolute path of the deployment's folder. */
  readonly directory: string;
  /** URLs or paths of svc's own code. Frames from this code do not help the author. */
  readonly own: readonly string[];
}

/** Removes the runtime's and svc's frames, and makes paths relative to the deployment's folder. */
export function cleanStack(text: string, { directory, own }: StackPlaces): string {
  if (!text.includes("    at ")) return text;
  const isOwn = (line: string): boolean => own.some((place) => line.includes(place));
  const lines = text.split("\n").filter((line) =>
    !RUNTIME_FRAME.test(line) && !(FRAME.test(line) && isOwn(line))
  );
  return lines.join("\n")
    .replaceAll(`${pathToFileURL(directory).href}/`, "")
    .replaceAll(`${directory}/`, "");
}
