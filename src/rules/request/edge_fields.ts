/**
 * Fields of an answer that are the edge's own: they frame the message, say how
 * its bytes are to be read, or identify it. No rule can set or remove them.
 *
 * @module
 */
import { HOP_BY_HOP } from "../../lib/hop_by_hop.ts";

const OWN: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  "content-encoding",
  "content-length",
  "content-range",
  "date",
]);

/** The prefix of all header fields of the edge. */
const PREFIX = "x-svc-";

/** Whether a field, its name in lower case, is the edge's alone. */
export function isEdgeField(name: string): boolean {
  return OWN.has(name) || name.startsWith(PREFIX);
}
