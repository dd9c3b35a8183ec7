/** @module A gateway in front of a real server, for tests. */
import pg from "pg";
import {
  PASSWORD,
  startTestServer,
  testBranch,
  type TestServer,
  testVerifier,
} from "../server/_test_server.ts";
import type { Branch } from "../types.ts";
import { Gateway, type GatewayOptions } from "./gateway.ts";
import type { BranchAccess, GatewayLimits, Refusal } from "./types.ts";

export interface TestGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly port: number;
  readonly server: TestServer;
  /** Messages to the operator. */
  readonly troubles: string[];
  /** Creates a branch that clients can reach. */
  add(
    database: string,
    given?: { readonly connections?: number; readonly refusal?: Refusal },
  ): Promise<
    Branch
  >;
  access(branch: Branch): BranchAccess;
  url(branch: Branch): string;
}

export async function startTestGateway(
  given: {
    readonly server?: TestServer;
    readonly limits?: Partial<GatewayLimits>;
    readonly certificate?: GatewayOptions["certificate"];
    readonly hostname?: string;
  } = {},
): Promise<TestGateway> {
  const server = given.server ?? await startTestServer();
  const all = new Map<string, BranchAccess>();
  const troubles: string[] = [];
  const gateway = new Gateway({
    directory: { find: (role) => Promise.resolve(all.get(role)) },
    ...(given.limits === undefined ? {} : { limits: given.limits }),
    ...(given.certificate === undefined ? {} : { certificate: given.certificate }),
    now: () => performance.now(),
    onTrouble: (message) => void troubles.push(message),
  });
  const { port } = gateway.listen({ hostname: given.hostname ?? "127.0.0.1", port: 0 });
  return {
    gateway,
    port,
    server,
    troubles,
    async add(database, { connections, refusal } = {}) {
      const branch = testBranch(database, connections);
      await server.engine.create(branch);
      all.set(branch.role, {
        branch,
        engine: server.engine,
        verifier: testVerifier(),
        ...(refusal === undefined ? {} : { refusal }),
      });
      return branch;
    },
    access: (branch) => all.get(branch.role)!,
    url: ({ role, database }) =>
      `postgres://${role}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${database}`,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      if (given.server === undefined) await server[Symbol.asyncDispose]();
    },
  };
}

/** Opens a client from the `pg` package. Errors on its connection are collected. */
export async function openClient(
  url: string,
  ssl?: pg.ClientConfig["ssl"],
): Promise<{ readonly client: pg.Client; readonly errors: Error[] }> {
  const client = new pg.Client({
    connectionString: url,
    ...(ssl === undefined ? {} : { ssl }),
  });
  const errors: Error[] = [];
  client.on("error", (error: Error) => void errors.push(error));
  await client.connect();
  return { client, errors };
}

/** Returns the SQLSTATE of a rejected connection. */
export async function refusalOf(url: string): Promise<{ code: string; message: string }> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
  } catch (error) {
    return error as Error & { code: string };
  }
  await client.end();
  throw new Error("The connection was not refused");
}
