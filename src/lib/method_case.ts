/** @module Detects known methods in the wrong case. */
import { METHODS } from "node:http";

const KNOWN: ReadonlySet<string> = new Set([...METHODS, "QUERY", "TRACK"]);

const HAS_LOWER_CASE = /[a-z]/;

/**
 * Describes the problem with a method like `post`. Returns `undefined` for any other method.
 * Methods are case-sensitive (RFC 9110, 9.1), but many servers read `post` as `POST`, so rules
 * would see a different method than the server.
 */
export function methodCaseProblem(method: string): string | undefined {
  if (!HAS_LOWER_CASE.test(method)) return undefined;
  const upper = method.toUpperCase();
  return KNOWN.has(upper) ? `Write the method as ${upper}` : undefined;
}
