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
  /** ID of the node's data directory. */
  home: z.string(),
  /** ID of the node's process. */
  instance: z.string(),
  version: z.string(),
  /** Addresses of the node's listeners. */
  addresses: z.array(z.string()),
  /** The URL at which other nodes reach this node; missing if the node runs an older version. */
  url: z.string().optional(),
  /** When the node started, according to its own clock, in milliseconds since the epoch. */
  since: z.number(),
  /** How far the node lags behind the changes that other nodes make, in milliseconds. */
  lagMs: z.number(),
});
export type NodeRecord = Readonly<z.infer<typeof nodeRecord>>;

export const knownNodeRecord = z.object({ id: z.string(), lastHeard: z.number() });
export type KnownNodeRecord = Readonly<z.infer<typeof knownNodeRecord>>;

export const leaseRecord = z.object({
  node: z.string(),
  /** ID of the process that holds the lease as long as that process's pulse is stored. */
  instance: z.string(),
  /** How many times the lease was acquired. */
  epoch: z.number(),
});

export interface NodeView extends NodeRecord {
  readonly roles: readonly Role[];
}
