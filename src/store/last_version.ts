/**
 * The version of a store's last commit, which all later ones are above.
 *
 * @module
 */
import type { Connections } from "./connections.ts";

/** The version of the last commit: another one where anything was stored meanwhile. */
export async function readVersion(connections: Connections): Promise<bigint> {
  const [row] = await connections.run((sql) =>
    sql<{ version: string }[]>`SELECT version FROM svc.clock`
  );
  return BigInt(row!.version);
}

/** Lets all later commits have versions above `version`, which a store had that is moved here. */
export async function raiseVersion(connections: Connections, version: bigint): Promise<void> {
  await connections.run((sql) =>
    sql`UPDATE svc.clock SET version = greatest(version, ${String(version)}::bigint)`
  );
}
