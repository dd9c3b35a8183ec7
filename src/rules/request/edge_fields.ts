/** @module Response fields that belong to the edge; no rule can set or remove them. */
import { HOP_BY_HOP } from "../../lib/hop_by_hop.ts";

const OWN: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  "content-encoding",
  "content-length",
  "content-range",
  "date",
]);

/** The prefix of the edge's own header fields. */
const PREFIX = "x-svc-";

/** Returns whether a field belongs only to the edge, given its name in lower case. */
export function isEdgeField(name: string): boolean {
  return OWN.has(name) || name.startsWith(PREFIX);
}

const LIFETIME_FIELD = /^(?:(?:[a-z0-9-]+-)?cache-control|surrogate-control|expires)$/;

/** Returns whether a field controls how long a response is stored, given its name in lower case. */
export const isLifetimeField = (name: string): boolean => LIFETIME_FIELD.test(name);
