/**
 * Servers of deployments for tests: run in processes of their own, with what
 * they logged.
 */
import { fileURLToPath } from "node:url";
import {
  COMPUTE_PROCESS_ARGUMENT,
  type ComputeLogEntry,
  computeProcessCommand,
  type ComputeRequest,
  type ComputeResult,
  type ComputeServer,
  type ComputeServerOptions,
  createComputeServer,
} from "../../src/runtime/mod.ts";

export const FIXTURES = fileURLToPath(new URL("../../fixtures/compute/", import.meta.url));

export interface TestServer extends AsyncDisposable {
  readonly server: ComputeServer;
  readonly logs: ComputeLogEntry[];
  get(target: string, request?: Partial<ComputeRequest>): Promise<ComputeResult>;
  /** Status and text of an answer, or the reason of its failure. */
  ask(target: string, request?: Partial<ComputeRequest>): Promise<string>;
}

export type TestOptions = Partial<Omit<ComputeServerOptions, "limits">> & {
  readonly limits?: Partial<ComputeServerOptions["limits"]>;
};

let requests = 0;

const DEFAULTS = {
  deploymentId: "dpl_test",
  directory: `${FIXTURES}hello`,
  entry: "entry.mjs",
  env: {},
  allowPrivate: false,
} as const;

/** A compiled program to test in place of the source. */
export const PROGRAM = Deno.env.get("SVC_BIN") || undefined;

/** Starts the program as the process of a server. */
export const spawnServer: ComputeServerOptions["spawn"] = PROGRAM === undefined
  ? computeProcessCommand({ env: Deno.env.toObject() })
  : (folder: string) => ({
    command: PROGRAM,
    args: [COMPUTE_PROCESS_ARGUMENT, folder],
    env: { NO_COLOR: "1" },
  });

/** Makes a server that ends with its scope. */
export function computeServer(options: TestOptions = {}): TestServer {
  const logs: ComputeLogEntry[] = [];
  const server = createComputeServer({
    ...DEFAULTS,
    log: (entry) => logs.push(entry),
    spawn: spawnServer,
    ...options,
    limits: { timeoutMs: 5000, memoryMb: 128, ...options.limits },
  });
  const get: TestServer["get"] = (target, request = {}) =>
    server.fetch({
      method: "GET",
      target,
      headers: [["host", "app.example"]],
      body: null,
      requestId: `req_${++requests}`,
      ...request,
    });
  return {
    server,
    logs,
    get,
    ask: async (target, request) => {
      const result = await get(target, request);
      if (result.type === "failed") return result.reason;
      const { status, body } = result.response;
      return `${status} ${body === null ? "" : await new Response(body).text()}`;
    },
    [Symbol.asyncDispose]: () => server.drain(0),
  };
}

/** Writes modules to a folder of their own. */
export async function writeModules(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "svc-compute-test-" });
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  return folder;
}
