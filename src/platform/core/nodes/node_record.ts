/** The records that nodes store about themselves and about leaders. @module */
import * as z from "zod";

/** Tasks that one node at a time runs for all nodes. */
export const ROLES = [
  "backups",
  "bot",
  "certificates",
  "events",
  "health",
  "housekeeping",
] as const;
export type Role = typeof ROLES[number];

export const nodeRecord = z.object({
  id: z.string(),
  /** ID of its data directory. */
  home: z.string(),
  /** ID of its process. */
  instance: z.string(),
  version: z.string(),
  /** Addresses of its listeners. */
  addresses: z.array(z.string()),
  /** The URL at which other nodes reach it; missing in older versions. */
  url: z.string().optional(),
  /** When it started, according to its own clock, in milliseconds since the epoch. */
  since: z.number(),
  /** How far it lags behind the changes of others, in milliseconds. */
  lagMs: z.number(),
});
export type NodeRecord = Readonly<z.infer<typeof nodeRecord>>;

export const knownNodeRecord = z.object({ id: z.string(), lastHeard: z.number() });
export type KnownNodeRecord = Readonly<z.infer<typeof knownNodeRecord>>;

export const leaseRecord = z.object({
  node: z.string(),
  /** ID of the process that holds the lease, as long as its pulse is stored. */
  instance: z.string(),
  /** How many times the lease was acquired. */
  epoch: z.number(),
});

export interface NodeView extends NodeRecord {
  readonly roles: readonly Role[];
}
