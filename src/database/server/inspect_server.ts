/** @module Inspects a PostgreSQL server for databases without changing it. */
import { Admin } from "./admin.ts";
import { adminPassword, readKeyIfMade } from "./server_key.ts";
import { runningCluster } from "./local/local_cluster.ts";
import { serverName } from "./names.ts";
import { LOCAL } from "./open_server.ts";
import { parseServerUrl } from "./server_address.ts";
import { ServerEngine } from "./server_engine.ts";
import { remoteServer, type ServerSource } from "./server_source.ts";

export interface ServerFacts {
  readonly version: string;
  /** Whether the role may create databases and roles. */
  readonly mayCreate: boolean;
  /**
   * Number of sessions available to roles that are not superusers, followed by the number of open
   * sessions.
   */
  readonly mostConnections: number;
  readonly connections: number;
  /** IDs of the branches that this platform has created on the server. */
  readonly branches: readonly string[];
  /** IDs of the branches above that have no database. */
  readonly withoutDatabase: readonly string[];
}

interface InspectServerOptions {
  /** `local`, or `postgres://…` as for `svc serve --postgres`. */
  readonly postgres: string;
  /** The platform's data folder. */
  readonly dataFolder: string;
  readonly variable: (name: string) => string | undefined;
}

const QUESTION =
  `SELECT current_setting('server_version'), rolsuper OR (rolcreatedb AND rolcreaterole), ` +
  `current_setting('max_connections')::int - ` +
  `current_setting('superuser_reserved_connections')::int, ` +
  `(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') ` +
  `FROM pg_roles WHERE rolname = current_user`;

/**
 * Queries the server. Returns `undefined` if a local server is not running.
 *
 * @throws {Error} if the server cannot be reached, with a message for the operator
 */
export async function inspectServer(
  { postgres, dataFolder, variable }: InspectServerOptions,
): Promise<ServerFacts | undefined> {
  const key = await readKeyIfMade(dataFolder);
  let source: ServerSource | undefined;
  if (postgres !== LOCAL) {
    source = remoteServer(parseServerUrl(postgres, { variable, readFile: Deno.readTextFileSync }));
  } else if (key !== undefined) {
    const password = adminPassword(key);
    source = await runningCluster({ dataFolder, password, path: variable("PATH") ?? "" });
  }
  if (source === undefined) return undefined;
  const admin = new Admin(source);
  const [row] = await admin.run([QUESTION]);
  const [version, mayCreate, most, open] = row!;
  return {
    version: version!.replace(/ .*/, ""),
    mayCreate: mayCreate === "t",
    mostConnections: Number(most),
    connections: Number(open),
    ...await branchesOn({ admin, engine: key && new ServerEngine({ source, key }) }),
  };
}

async function branchesOn({ admin, engine }: {
  readonly admin: Admin;
  readonly engine: ServerEngine | undefined;
}): Promise<Pick<ServerFacts, "branches" | "withoutDatabase">> {
  const branches = await engine?.list() ?? [];
  const rows = await admin.run(["SELECT datname FROM pg_database"]);
  const databases = new Set(rows.map(([name]) => name));
  const withoutDatabase = branches.filter((id) => !databases.has(serverName({ id })));
  return { branches, withoutDatabase };
}
