/**
 * Inspects the databases in a data directory, whether or not it is in use, without changing
 * anything. @module
 */
import { join } from "node:path";
import {
  type ClusterFacts,
  type FolderFacts,
  inspectCluster,
  inspectFolder,
  inspectServer,
  LOCAL,
  type ServerFacts,
} from "../database/mod.ts";
import { messageOf } from "../lib/error_message.ts";
import type { Environment } from "../lib/network_variables.ts";
import { isServed } from "../platform/core/store/mod.ts";
import { inspectRecords, type RecordFacts } from "../platform/databases/mod.ts";
import { withStoreCopy } from "./backup/copy_store.ts";

export interface DatabaseFacts {
  /** Whether a platform is using the data directory. */
  readonly isServed: boolean;
  readonly embedded: FolderFacts;
  /** The PostgreSQL server in the data directory, or `undefined` if there is none. */
  readonly cluster: ClusterFacts | undefined;
  /**
   * The given server or, by default, the server in the data directory; `undefined` if none is
   * running.
   */
  readonly server: ServerFacts | undefined;
  /** Why the server could not be queried. */
  readonly serverProblem: string | undefined;
  /** The databases; `undefined` if the data directory has no records. */
  readonly records: RecordFacts | undefined;
}

interface InspectDatabasesOptions {
  readonly dataDir: string;
  /** The same as for `svc serve --postgres`; by default, the server in the data directory. */
  readonly postgres?: string;
  readonly env: Environment;
}

export async function inspectDatabases(
  { dataDir, postgres, env }: InspectDatabasesOptions,
): Promise<DatabaseFacts> {
  const cluster = await inspectCluster(dataDir, env.PATH ?? "");
  const asked = postgres ?? (cluster === undefined ? undefined : LOCAL);
  let server: ServerFacts | undefined;
  let serverProblem: string | undefined;
  try {
    server = asked === undefined ? undefined : await inspectServer({
      postgres: asked,
      dataFolder: dataDir,
      variable: (name) => env[name],
    });
  } catch (error) {
    serverProblem = messageOf(error);
  }
  return {
    cluster,
    server,
    serverProblem,
    isServed: await isServed(dataDir),
    embedded: await inspectFolder(join(dataDir, "databases")),
    records: await readRecords(dataDir),
  };
}

/** Reads a copy, because the store itself may be in use. */
async function readRecords(dataDir: string): Promise<RecordFacts | undefined> {
  const store = join(dataDir, "kv.sqlite3");
  if (!await Deno.stat(store).then(() => true, () => false)) return undefined;
  return await withStoreCopy(store, inspectRecords);
}
