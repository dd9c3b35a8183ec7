/** Computes the fingerprint that groups occurrences of an error. Pure. @module */
import { sha256Hex } from "../../lib/hash.ts";

/** Maximum lengths of a title and of a stack, in characters. */
export const MAX_TITLE = 300;
export const MAX_STACK = 4000;
/** Maximum number of innermost frames to compare when distinguishing errors. */
const MAX_FRAMES = 8;
const ID_LENGTH = 16;

/** The origin of an error. */
export type ErrorKind = "function" | "server" | "response";

export interface Occurrence {
  readonly kind: ErrorKind;
  /** The name of the function or of the server's layer; empty if unknown. */
  readonly source: string;
  readonly message: string;
  readonly stack?: string | undefined;
}

interface DescribedError {
  /** Identical for all occurrences of an error. */
  readonly id: string;
  readonly title: string;
  readonly stack: string | null;
}

/** Matches the parts of a message that differ from one occurrence to the next. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<id>"],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b|\b0x[0-9a-f]+\b/gi, "<hex>"],
  [/\d+/g, "<n>"],
];

/** Returns text without the parts that differ from one occurrence to the next. */
export function withoutVarying(text: string): string {
  return VARYING.reduce((rest, [pattern, name]) => rest.replace(pattern, name), text);
}

const FRAME = /^\s*at (?:async )?(?:(.*?) \()?(.+?)\)?$/;
/** Prefixes of project files in stacks: protocols, and the sandbox's folders. */
const FOLDERS = /^(?:file:\/\/)?(?:\/(?:[^/\s]+\/)*(?:app|root|build|compute\/[^/]+)\/)?/;

/**
 * Returns a frame's function and file, without the line and column, which shift with each change.
 */
function nameOfFrame(line: string): string | undefined {
  const match = FRAME.exec(line);
  if (match === null) return undefined;
  const file = match[2]!.replace(FOLDERS, "").replace(/(?::\d+){1,2}$/, "");
  // Bundlers put a hash of the content in the names of chunks.
  return `${match[1] ?? ""}@${file.replace(/[-_.][A-Za-z0-9_-]{8,}(?=\.[cm]?js$)/, "")}`;
}

function framesOf(stack: string): string[] {
  return stack.split("\n").map(nameOfFrame).filter((name) => name !== undefined)
    .slice(0, MAX_FRAMES);
}

const firstLine = (text: string): string => text.split("\n", 1)[0]!;

/** Matches the name of an error's class, with which the message starts. */
const CLASS = /^(?:error: )?(?:Uncaught )?(?:\(in promise\) )?([A-Za-z_$][\w$.]*)(?=:| \[|$)/;

/** Identifies an error by its class and frames or, without frames, by its message. */
export function describeException(
  { kind, source, message, stack }: Occurrence,
): DescribedError {
  const whole = stack ?? (message.includes("\n") ? message : undefined);
  const frames = whole === undefined ? [] : framesOf(whole);
  const head = whole === undefined ? message : firstLine(whole).trim();
  const title = (head === "" ? firstLine(message) : head).slice(0, MAX_TITLE);
  const what = frames.length === 0
    ? withoutVarying(firstLine(message).slice(0, MAX_TITLE))
    : `${CLASS.exec(title)?.[1] ?? ""}\n${frames.join("\n")}`;
  return {
    id: sha256Hex(`${kind}\n${source}\n${what}`).slice(0, ID_LENGTH),
    title,
    stack: frames.length === 0 ? null : whole!.slice(0, MAX_STACK),
  };
}
