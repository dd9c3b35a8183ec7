/**
 * @module Targets of redirects and rewrites: a path on this site, or an absolute URL. The value of
 * a capture can never change the scheme, host or port: captures are not allowed there, and the path
 * of a relative target always starts with exactly one slash.
 */
import type { PatternProblem } from "./glob.ts";
import { canonicalPathText, resolveSegments } from "../request/path.ts";
import {
  type CompiledText,
  compilePieces,
  encodeForQuery,
  encodeUrlText,
  expandPieces,
  parseTemplate,
  type TemplatePart,
} from "./template.ts";

/** A parsed target. Every part except `authority` can have references. */
export interface ParsedTarget {
  readonly kind: "relative" | "absolute";
  /** `http` or `https`, in lower case; "" for a relative target. */
  readonly scheme: string;
  /** Userinfo, host and port as written; "" for a relative target. */
  readonly authority: string;
  /**
   * True for a path that is relative to the request's path. Such a path begins with neither a slash
   * nor a capture.
   */
  readonly isFromRequest: boolean;
  readonly path: readonly TemplatePart[];
  /** Without its `?`; absent if the target has no separate query. */
  readonly query?: readonly TemplatePart[];
  /** Without its `#`. */
  readonly fragment?: readonly TemplatePart[];
}

type TargetResult =
  | { readonly target: ParsedTarget }
  | { readonly problems: readonly PatternProblem[] };

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const ORIGIN = /^(https?):\/\/([^\/\\?#]*)/i;
// deno-lint-ignore no-control-regex -- matches control characters on purpose
const CONTROL = /[\x00-\x1f\x7f]|%00/;

const refuse = (message: string, offset: number, hint?: string): TargetResult => ({
  problems: [hint === undefined ? { message, offset } : { message, hint, offset }],
});

/** Splits parts at the first occurrence of `mark`. The second part starts after `mark`. */
function cut(
  parts: readonly TemplatePart[],
  mark: string,
): [readonly TemplatePart[], (readonly TemplatePart[])?] {
  for (const [index, part] of parts.entries()) {
    const at = part.type === "text" ? part.text.indexOf(mark) : -1;
    if (part.type !== "text" || at < 0) continue;
    const before: TemplatePart = { type: "text", text: part.text.slice(0, at) };
    const after: TemplatePart = { type: "text", text: part.text.slice(at + 1) };
    return [[...parts.slice(0, index), before], [after, ...parts.slice(index + 1)]];
  }
  return [parts];
}

function split(
  origin: Pick<ParsedTarget, "kind" | "scheme" | "authority">,
  parts: readonly TemplatePart[],
): ParsedTarget {
  const [beforeFragment, fragment] = cut(parts, "#");
  const [path, query] = cut(beforeFragment, "?");
  const [first] = path;
  const isRooted = first?.type === "text" && first.text.startsWith("/");
  const isStatic = path.every(({ type }) => type === "text");
  return {
    ...origin,
    path,
    isFromRequest: origin.kind === "relative" && !isRooted && isStatic,
    ...(query === undefined ? {} : { query }),
    ...(fragment === undefined ? {} : { fragment }),
  };
}

function parseAbsolute(first: string, parts: readonly TemplatePart[]): TargetResult {
  const [, scheme = "", authority = ""] = ORIGIN.exec(first) ?? [];
  const rest = first.slice(scheme.length + 3 + authority.length);
  const next = parts[1];
  if (rest === "" && next?.type === "reference") {
    const hint = 'Put a "/" between the host and the capture';
    return refuse("Keep captures out of the host of a target", next.offset, hint);
  }
  if (authority === "") return refuse("Name a host in the target", scheme.length + 3);
  const origin = { kind: "absolute", scheme: scheme.toLowerCase(), authority } as const;
  return { target: split(origin, [{ type: "text", text: rest }, ...parts.slice(1)]) };
}

/**
 * Parses the target of a redirect or rewrite. A relative target with a leading slash or captures is
 * a path from the root of the site; any other relative target is relative to the request's path
 * (RFC 3986, 5.2). Control characters, schemes other than http(s), URLs without a scheme (`//host`)
 * and captures in the host are rejected.
 */
export function parseTarget(value: string): TargetResult {
  const control = value.search(CONTROL);
  if (control >= 0) return refuse("Remove the control character from the target", control);
  const template = parseTemplate(value);
  if ("problems" in template) return template;
  const first = template.parts[0];
  const text = first?.type === "text" ? first.text : "";
  if (ORIGIN.test(text)) return parseAbsolute(text, template.parts);
  const scheme = SCHEME.exec(text)?.[1];
  if (scheme !== undefined) {
    const hint = 'Begin a path with "/"';
    return refuse(
      `Write the target as a path or an http(s) URL: it begins with "${scheme}:"`,
      0,
      hint,
    );
  }
  if (/^[\/\\]{2}/.test(text)) {
    const hint = "Put https: before it, or start it with a single slash";
    return refuse(`Write the target as a path or an http(s) URL: it begins with "//"`, 0, hint);
  }
  const origin = { kind: "relative", scheme: "", authority: "" } as const;
  return { target: split(origin, template.parts) };
}

/** A target that is ready to be expanded. */
export interface CompiledTarget {
  /** `https://host`, or "" for a target on this site. */
  readonly origin: string;
  readonly path: CompiledText;
  readonly isFromRequest: boolean;
  readonly query?: CompiledText;
  readonly fragment?: CompiledText;
}

/** The expanded target for one request. */
interface ExpandedTarget {
  readonly origin: string;
  /** Starts with exactly one slash. */
  readonly path: string;
  /** Without its `?`; absent if the target has no separate query. */
  readonly query?: string;
  /** With its `#`, or "". */
  readonly fragment: string;
}

/** Prepares a target; `names` are the captures of the rule's root glob. */
export function compileTarget(target: ParsedTarget, names: readonly string[]): CompiledTarget {
  const { scheme, authority, path, isFromRequest, query, fragment } = target;
  return {
    origin: scheme === "" ? "" : `${scheme}://${authority}`,
    path: compilePieces(path, names, encodeUrlText),
    isFromRequest,
    ...(query === undefined ? {} : { query: compilePieces(query, names, encodeUrlText) }),
    ...(fragment === undefined ? {} : { fragment: compilePieces(fragment, names, encodeUrlText) }),
  };
}

/** Resolves a relative path against another path, both without a query (RFC 3986, 5.2.2). */
function resolvePath(from: string, relative: string): string {
  if (relative === "") return from;
  return resolveSegments(from.slice(0, from.lastIndexOf("/") + 1) + relative);
}

/**
 * Inserts the captures, which are parts of a normalized path, into the target. `from` is the
 * request's path.
 */
export function expandTarget(
  target: CompiledTarget,
  captures: readonly string[],
  from: string,
): ExpandedTarget {
  const text = expandPieces(target.path, captures);
  const path = target.isFromRequest ? resolvePath(from, text) : `/${text.replace(/^\/+/, "")}`;
  const fragment = target.fragment === undefined
    ? ""
    : `#${expandPieces(target.fragment, captures)}`;
  if (target.query === undefined) return { origin: target.origin, path, fragment };
  const query = expandPieces(target.query, captures, encodeForQuery);
  return { origin: target.origin, path, query, fragment };
}

/** Returns the normalized path of an expanded target on this site. */
export function resolvedPath(target: ExpandedTarget): string {
  return resolveSegments(canonicalPathText(target.path));
}
