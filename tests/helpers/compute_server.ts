/** Runs deployment servers in separate processes for tests, which can read the servers' logs. */
import { COMPILED } from "../../scripts/_program.ts";
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import { fileURLToPath } from "node:url";
import {
  COMMAND_PROCESS_ARGUMENT,
  COMPUTE_PROCESS_ARGUMENT,
  NODE_PROCESS_ARGUMENT,
} from "../../src/lib/process_arguments.ts";
import {
  commandProcessCommand,
  type ComputeLogEntry,
  computeProcessCommand,
  type ComputeRequest,
  type ComputeResult,
  type ComputeServer,
  type ComputeServerOptions,
  createComputeServer,
  nodeProcessCommand,
  NodeVersions,
  ServerLauncher,
  type SpawnCommand,
} from "../../src/runtime/mod.ts";

export const FIXTURES = fileURLToPath(new URL("../../fixtures/compute/", import.meta.url));

export interface TestServer extends AsyncDisposable {
  readonly server: ComputeServer;
  readonly logs: ComputeLogEntry[];
  get(target: string, request?: Partial<ComputeRequest>): Promise<ComputeResult>;
  /**
   * Sends a request. Returns the status and text of the response, or the reason for the failure.
   */
  ask(target: string, request?: Partial<ComputeRequest>): Promise<string>;
}

export type TestOptions = Partial<Omit<ComputeServerOptions, "launcher" | "limits">> & {
  readonly limits?: Partial<ComputeServerOptions["limits"]>;
  /** Starts the server's process; by default, as the platform does. */
  readonly spawn?: SpawnCommand;
};

let requests = 0;

const DEFAULTS = {
  deploymentId: "dpl_test",
  directory: `${FIXTURES}hello`,
  entry: "entry.mjs",
  env: {},
  allowPrivate: false,
} as const;

const env = Deno.env.toObject();

const compiled = (command: string, argument: string) => (folder: string) => ({
  command,
  args: [argument, folder],
  env: { NO_COLOR: "1" },
});

/** Starts the program as a Deno server's process. */
export const spawnServer: SpawnCommand = COMPILED === undefined
  ? computeProcessCommand({ env })
  : compiled(COMPILED, COMPUTE_PROCESS_ARGUMENT);

const spawnNodeServer: SpawnCommand = COMPILED === undefined
  ? nodeProcessCommand({ env })
  : compiled(COMPILED, NODE_PROCESS_ARGUMENT);

const spawnCommand: SpawnCommand = COMPILED === undefined
  ? commandProcessCommand({ env })
  : compiled(COMPILED, COMMAND_PROCESS_ARGUMENT);

/** Creates a server that a shell command in the deployment's folder starts. */
export const commandServer = (command: string, options: TestOptions = {}): TestServer =>
  computeServer({
    engine: "command",
    spawn: spawnCommand,
    program: { command, toolchains: [], path: [] },
    ...options,
  });

/**
 * Starts a Node server's process without permission to create namespaces, as in most containers.
 */
export const withoutNamespaces: SpawnCommand = async (folder, facts) => {
  const { command, args, env: own } = await spawnNodeServer(folder, facts);
  return {
    command: "/usr/bin/setpriv",
    args: ["--bounding-set=-sys_admin", "--inh-caps=-all", command, ...args],
    env: own,
  };
};

export type TestEngine = "deno" | "node";

/** The server engines. Tests of server behavior run on each of them. */
export const ENGINES: readonly TestEngine[] = ["deno", "node"];

/** Major version of the machine's Node, which tests use to run servers. */
export const NODE_MAJOR = machineNode();

function machineNode(): string {
  const { stdout } = new Deno.Command("node", { args: ["--version"] }).outputSync();
  return /^v(\d+)/.exec(new TextDecoder().decode(stdout))![1]!;
}

const nodeBinary = await new NodeVersions({ folder: "/none", env })
  .binary({ version: NODE_MAJOR, user: "tests" });

/** Creates a server that stops when its scope ends. */
export function computeServer({ spawn, ...options }: TestOptions = {}): TestServer {
  const logs: ComputeLogEntry[] = [];
  const isNode = options.engine === "node";
  const command = spawn ?? (isNode ? spawnNodeServer : spawnServer);
  const server = createComputeServer({
    ...DEFAULTS,
    log: (entry) => logs.push(entry),
    launcher: new ServerLauncher({ command }),
    ...isNode ? { nodeBinary } : {},
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

/** Creates a server on one engine. */
export type Serve = (options?: TestOptions) => TestServer;

interface EngineTest {
  readonly engine: TestEngine;
  readonly serve: Serve;
  readonly t: Deno.TestContext;
}

/** Runs a test of server behavior once on each engine. */
export function onEachEngine(
  name: string,
  test: (parts: EngineTest) => Promise<void>,
): void {
  for (const engine of ENGINES) {
    const serve: Serve = (options) => computeServer({ engine, ...options });
    Deno.test(`${name} (${engine})`, (t) => test({ engine, serve, t }));
  }
}

/** Writes modules to a separate folder that is removed at the end of the test file. */
export async function writeModules(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await makeTestFolder("svc-compute-test-");
  // All users can read the folder, as with deployments' folders, because a Node server runs as a
  // different user.
  await Deno.chmod(folder, 0o755);
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  return folder;
}
