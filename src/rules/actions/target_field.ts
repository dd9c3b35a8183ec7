/**
 * @module The `target` field of `redirect` and `rewrite`. A redirect points to a path on the site
 * or an absolute http(s) URL, an internal rewrite to a path, and an external rewrite to an absolute
 * https URL. A path begins with a slash; only the target of a redirect without captures can be
 * relative to the request's path. Captures cannot change the host: they are not allowed in it, and
 * an expanded path always starts with exactly one slash.
 */
import { describeValue } from "../../lib/describe_value.ts";
import type { PathStep } from "../../lib/diagnostic.ts";
import { errorAt, type Finding } from "../finding.ts";
import { canonicalHost, hostOrSame, splitAuthority } from "../request/host.ts";
import {
  type CompiledTarget,
  compileTarget,
  type ParsedTarget,
  parseTarget,
} from "../pattern/target.ts";
import { encodeUrlText } from "../pattern/template.ts";
import type { CompilationContext } from "./action_definition.ts";

/** A problem with a target, without its position. */
export type TargetProblem = Omit<Finding, "severity" | "path">;

const MAX_PORT = 65_535;

function checkAuthority(authority: string): TargetProblem | undefined {
  if (authority.includes("@")) {
    return {
      code: "bad_target",
      message: `Use a target without userinfo: it has ${describeValue(authority)}`,
      hint: "Remove everything after //, up to and including the @",
    };
  }
  const { host, port } = splitAuthority(authority);
  if (port !== undefined && !(Number(port) >= 1 && Number(port) <= MAX_PORT)) {
    return {
      code: "bad_target",
      message: `Use a target with a port from 1 to ${MAX_PORT}: it is "${port}"`,
    };
  }
  const result = canonicalHost(host);
  if ("host" in result) return undefined;
  const { wanted, hint } = result.problem;
  return {
    code: "bad_target",
    message: `Use a target with a hostname ${wanted}: it is ${describeValue(host)}`,
    hint,
  };
}

function checkRelative(
  value: string,
  target: ParsedTarget,
  { isRelativeAllowed }: TargetRules,
): TargetProblem | undefined {
  if (!value.startsWith("/") && !(isRelativeAllowed && target.isFromRequest)) {
    return {
      code: "bad_target",
      message: `Begin the target with "/" or "https://": it is ${describeValue(value)}`,
      ...(isRelativeAllowed
        ? { hint: "Only a target without captures can be relative to the request path" }
        : {}),
    };
  }
  const path = value.split(/[?#]/, 1)[0] ?? "";
  return path.includes("\\")
    ? {
      code: "bad_target",
      message: `Use "/" in the path of the target: it has a backslash, which browsers read as "/"`,
    }
    : undefined;
}

/** The requirements that an action has for its target, in addition to the common requirements. */
export interface TargetRules {
  /** Whether a target without captures may be relative to the request's path. */
  readonly isRelativeAllowed: boolean;
  /** Checks whether the action allows this kind of target. */
  checkKind(target: ParsedTarget): TargetProblem | undefined;
}

/** Reports a target that is not allowed. `path` is the position of the action. */
export function* checkTarget(
  value: string,
  path: readonly PathStep[],
  rules: TargetRules,
): Generator<Finding> {
  const at = [...path, "target"];
  const parsed = parseTarget(value);
  if ("problems" in parsed) {
    for (const { message, hint } of parsed.problems) {
      if (message.startsWith("Reference the splat")) continue;
      yield errorAt(at, { code: "bad_target", message, hint });
    }
    return;
  }
  const { target } = parsed;
  const problems = [
    rules.checkKind(target),
    target.kind === "absolute"
      ? checkAuthority(target.authority)
      : checkRelative(value, target, rules),
  ];
  for (const problem of problems) if (problem !== undefined) yield errorAt(at, problem);
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: "80", https: "443" };

/** Returns the target with its scheme and host in canonical form. Everything else is unchanged. */
export function normalizeTarget(value: string): string {
  const parsed = parseTarget(value);
  if (!("target" in parsed) || parsed.target.kind !== "absolute") return value;
  const { scheme, authority } = parsed.target;
  const { host, port } = splitAuthority(authority);
  const shownPort = port === undefined || Number(port) === Number(DEFAULT_PORTS[scheme])
    ? ""
    : `:${Number(port)}`;
  const rest = value.slice(scheme.length + "://".length + authority.length);
  return `${scheme}://${hostOrSame(host)}${shownPort}${rest}`;
}

/**
 * Prepares a target.
 *
 * @throws {TypeError} for a target that validation would have rejected.
 */
export function compileTargetOf(
  value: string,
  { ref, captureNames }: CompilationContext,
): CompiledTarget {
  const parsed = parseTarget(value);
  if ("problems" in parsed) {
    throw new TypeError(`Cannot compile the target of rule "${ref.id}": it is "${value}"`);
  }
  return compileTarget(parsed.target, captureNames);
}

const VISIBLE = /^[\x21-\x7e]*$/;

/** Returns a request's query, without its `?`, in a form that a URL can contain. */
export function queryText(rawQuery: string): string {
  return VISIBLE.test(rawQuery) ? rawQuery : encodeUrlText(rawQuery);
}

/** Returns a query with its `?`, or "" for an empty one. */
export const withMark = (query: string): string => query === "" ? "" : `?${query}`;
