/** @module Writes large JSON without blocking other work. */
import type { Steps } from "./next_turn.ts";

/** Number of list items that are written between two interruptions. */
const ITEMS = 500;

/** Maximum depth at which members of objects are written one by one. */
const DEPTH = 2;

/**
 * Serializes a JSON value like `JSON.stringify()`, in parts. `value` is plain data without
 * `toJSON`. Except for `undefined` members, `value` contains nothing that JSON cannot represent.
 */
export function* jsonParts(value: unknown, depth = DEPTH): Steps<string[]> {
  if (Array.isArray(value) && value.length > ITEMS) {
    const parts: string[] = [];
    for (let start = 0; start < value.length; start += ITEMS) {
      const text = JSON.stringify(value.slice(start, start + ITEMS));
      parts.push((start === 0 ? "[" : ",") + text.slice(1, -1));
      yield;
    }
    return [...parts, "]"];
  }
  if (typeof value !== "object" || value === null || Array.isArray(value) || depth === 0) {
    return [JSON.stringify(value)];
  }
  const parts: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    parts.push(`${parts.length === 0 ? "{" : ","}${JSON.stringify(name)}:`);
    for (const part of yield* jsonParts(member, depth - 1)) parts.push(part);
  }
  return parts.length === 0 ? ["{}"] : [...parts, "}"];
}
