/** @module A local PostgreSQL server in a temporary folder, for tests. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { makeVerifier, SALT_BYTES } from "../scram/verifier.ts";
import type { Branch, DatabaseEngine } from "../types.ts";
import { Admin } from "./admin.ts";
import { ADMIN_ROLE } from "./local/cluster_files.ts";
import { findPostgres } from "./local/find_postgres.ts";
import type { HistoryOptions } from "./local/history.ts";
import { LocalCluster } from "./local/local_cluster.ts";
import { LOCAL, openServerEngine } from "./open_server.ts";
import { adminPassword } from "./server_key.ts";
import { remoteServer } from "./server_source.ts";

export const PASSWORD = "right horse";

const installed = await findPostgres(Deno.env.get("PATH") ?? "");

/** The reason why tests with a server cannot run here, or `undefined` if they can. */
export const NO_POSTGRES: string | undefined = installed.length > 0
  ? undefined
  : "PostgreSQL is not installed on this machine";

export interface TestServer extends AsyncDisposable {
  readonly engine: DatabaseEngine;
  readonly dataFolder: string;
  /** Runs SQL as the platform's own role. */
  adminRun(sql: string): Promise<void>;
  /** Messages to the operator. */
  readonly troubles: string[];
}

/** Returns an engine that uses a local server in an empty folder. */
export function openTestEngine(dataFolder: string): Promise<DatabaseEngine> {
  return openServerEngine({
    postgres: LOCAL,
    dataFolder,
    memoryBytes: 1024 ** 3,
    onTrouble: (message) => {
      throw new Error(message);
    },
  });
}

/** Starts a server. Its folder, a new one by default, is removed at the end. */
export async function startTestServer(
  given?: string,
  history?: HistoryOptions,
): Promise<TestServer> {
  const dataFolder = given ?? await Deno.makeTempDir({ prefix: "svc-test-" });
  const troubles: string[] = [];
  const engine = await openServerEngine({
    postgres: LOCAL,
    dataFolder,
    history,
    memoryBytes: 1024 ** 3,
    onTrouble: (message) => void troubles.push(message),
  });
  return {
    engine,
    dataFolder,
    troubles,
    adminRun: (sql) => runAsAdmin(dataFolder, sql),
    async [Symbol.asyncDispose]() {
      await engine.close();
      await Deno.remove(dataFolder, { recursive: true });
    },
  };
}

export interface TestCluster extends AsyncDisposable {
  /** Path of its Unix socket. */
  readonly socket: string;
  readonly user: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  /**
   * Stops the server as `pg_ctl stop -m immediate` does. The server then restarts automatically.
   */
  crash(): Promise<void>;
}

/** Starts a server without an engine in its own folder. `user` is its superuser. */
export async function startTestCluster(): Promise<TestCluster> {
  const dataFolder = await Deno.makeTempDir({ prefix: "svc-test-" });
  const open = () =>
    LocalCluster.open({
      dataFolder,
      password: PASSWORD,
      path: Deno.env.get("PATH") ?? "",
      memoryBytes: 1024 ** 3,
      onTrouble: () => {},
    });
  let cluster: LocalCluster | undefined = await open();
  const { address: { endpoint } } = await cluster.reach();
  if (endpoint.transport !== "unix") throw new Error("A local cluster has a Unix socket");
  const stop = async () => {
    await cluster?.close();
    cluster = undefined;
  };
  return {
    socket: endpoint.path,
    user: ADMIN_ROLE,
    stop,
    async start() {
      cluster = await open();
      await cluster.reach();
    },
    async crash() {
      const pidFile = join(dataFolder, "postgres", "data", "postmaster.pid");
      const [pid] = (await Deno.readTextFile(pidFile)).split("\n");
      Deno.kill(Number(pid), "SIGQUIT");
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await Deno.remove(dataFolder, { recursive: true });
    },
  };
}

/** Runs SQL as the platform's own role on the local server of a data directory. */
export async function runAsAdmin(dataFolder: string, sql: string): Promise<void> {
  const key = await Deno.readFile(join(dataFolder, "postgres.key"));
  const path = join(dataFolder, "postgres", "socket", ".s.PGSQL.5432");
  const source = remoteServer({
    address: { endpoint: { transport: "unix", path }, tls: undefined },
    login: { user: ADMIN_ROLE, password: adminPassword(key), database: "postgres" },
  });
  await new Admin(source).run([sql]);
}

export function testBranch(database: string, connections = 20): Branch {
  const id = randomBytes(8).toString("hex");
  const role = `${database}_${id.slice(0, 8)}`;
  return { id, database, role, limits: { memoryMb: 256, connections } };
}

export const testVerifier = () => makeVerifier(PASSWORD, new Uint8Array(randomBytes(SALT_BYTES)));
