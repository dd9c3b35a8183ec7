/** @module Converts other platforms' paths with parameters to regular expressions. */

interface PathParameter {
  readonly name: string;
  /** Whether the parameter matches several segments. */
  readonly isRest: boolean;
}

export interface PathPattern {
  /** Pattern for URL paths, with a group for each parameter. */
  readonly pattern: string;
  readonly parameters: readonly PathParameter[];
  /** If two patterns match a path, the pattern with the higher number is used. */
  readonly precision: number;
}

const escapeText = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const REST = /^\[\.{3}([^\]]+)\]$/;
const OPTIONAL_REST = /^\[\[\.{3}([^\]]+)\]\]$/;
const ONE = /^\[([^\]]+)\]$/;

/**
 * Converts a file path whose segments can be parameters: `users/[id]`, `[...rest]`, `[[...rest]]`.
 *
 * @param base the URL path of the folder to which `file` is relative, without a trailing slash
 * @param file path of the file without its extension
 */
export function patternOfFile(base: string, file: string): PathPattern {
  const steps = file.split("/");
  if (steps.at(-1) === "index") steps.pop();
  const parameters: PathParameter[] = [];
  let pattern = `^${escapeText(base)}`;
  let precision = 0;
  for (const step of steps) {
    const rest = REST.exec(step)?.[1];
    const optional = OPTIONAL_REST.exec(step)?.[1];
    const one = ONE.exec(step)?.[1];
    if (optional !== undefined) {
      parameters.push({ name: optional, isRest: true });
      pattern += "(?:/(.*))?";
    } else if (rest !== undefined) {
      parameters.push({ name: rest, isRest: true });
      pattern += "/(.+)";
      precision += 1;
    } else if (one !== undefined) {
      parameters.push({ name: one, isRest: false });
      pattern += "/([^/]+)";
      precision += 10;
    } else {
      pattern += `/${escapeText(step)}`;
      precision += 100;
    }
  }
  return { pattern: `${pattern}/?$`, parameters, precision };
}

/** Matches a parameter (`:name`, with `*`, `+` or `?`), `(.*)`, or `*`. */
const PART = /\/?:(\w+)([*+?])?|\(\.\*\)|\*/g;

/**
 * Converts a path from a config file, such as `/a/:id`, `/a/:rest*`, `/a/*` or `/a/(.*)`.
 *
 * @returns `undefined` if the path contains any other syntax
 */
export function patternOfPath(path: string): PathPattern | undefined {
  if (!path.startsWith("/") || /[(){}[\]?+|\\^$]/.test(path.replaceAll(PART, ""))) return undefined;
  const parameters: PathParameter[] = [];
  let pattern = "^";
  let at = 0;
  for (const found of path.matchAll(PART)) {
    const [whole, name, suffix] = found;
    pattern += escapeText(path.slice(at, found.index));
    at = found.index + whole.length;
    const slash = whole.startsWith("/") ? "/" : "";
    if (name === undefined) {
      parameters.push({ name: String(parameters.length), isRest: false });
      pattern += "(.*)";
      continue;
    }
    parameters.push({ name, isRest: suffix === "*" || suffix === "+" });
    if (suffix === "*") pattern += slash === "" ? "(.*)" : "(?:/(.*))?";
    else if (suffix === "+") pattern += `${slash}(.+)`;
    else pattern += suffix === "?" ? `(?:${slash}([^/]+))?` : `${slash}([^/]+)`;
  }
  const rest = path.slice(at);
  return {
    pattern: `${pattern}${escapeText(rest.replace(/\/$/, ""))}/?$`,
    parameters,
    precision: 100 * path.split("/").length - 50 * parameters.length,
  };
}
