/**
 * A platform with three nodes, as an operator would run it: behind a load balancer, with records in
 * PostgreSQL and files in object storage. Everything runs on this machine.
 *
 * @module
 */
import { dirname, join } from "node:path";
import {
  cleanEnvironment,
  type Command,
  type Platform,
  programCommand,
  startProgram,
} from "../../../scripts/_program.ts";
import { openTestStorage } from "../../../src/platform/core/s3/_test_storage.ts";
import { TestPg } from "../../../src/platform/core/store/_test_pg.ts";
import { freeBuildUid } from "../build_users.ts";
import { type ApiAnswer, type ApiOptions, callApi, TOKEN } from "../platform.ts";
import { startBalancer } from "./balancer.ts";
import { Cable } from "./cable.ts";
import { Patroni } from "./patroni.ts";
import { freePorts } from "./ports.ts";
import { Storage } from "./storage.ts";

/** True if the complete suite runs, which uses Patroni and takes minutes. */
export const IS_LONG = Deno.env.get("CLUSTER_TESTS") === "all";

/** Maximum time that a killed node's child processes lock the data directory, in milliseconds. */
const LOCKED_MS = 15_000;

/** The locations of records and files, with their credentials. */
interface Places {
  readonly kv: string;
  readonly blobs: string;
  readonly env: Readonly<Record<string, string>>;
  /** The start of the command line, for a node with its own network. */
  readonly within?: readonly string[];
}

interface NodeOptions {
  readonly folder: string;
  readonly args: readonly string[];
  readonly places: () => Places;
}

/** A node whose program is killed and started again with the same data directory and port. */
export class Node {
  #running: Platform | undefined;
  readonly #ended: string[] = [];

  readonly #options: NodeOptions;

  constructor(readonly name: string, readonly port: number, options: NodeOptions) {
    this.#options = options;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get ownerLink(): string | undefined {
    return this.#running?.ownerLink;
  }

  /** Output of the node's processes, including earlier ones. */
  get said(): string {
    return [...this.#ended, this.#running?.errors() ?? ""].join("\n");
  }

  api(method: string, path: string, options: ApiOptions = {}): Promise<ApiAnswer> {
    return callApi(this.url, method, path, options);
  }

  /**
   * Starts the node, optionally with another program. If the node was killed, a child process may
   * still lock the data directory.
   */
  async start(command?: Command): Promise<void> {
    const end = performance.now() + LOCKED_MS;
    for (;;) {
      try {
        return await this.#begin(command);
      } catch (error) {
        if (!/data_dir_in_use/.test(String(error)) || performance.now() > end) throw error;
      }
    }
  }

  async #begin(command: Command | undefined): Promise<void> {
    const { folder, args, places } = this.#options;
    const { kv, blobs, env, within = [] } = places();
    const dataDir = join(folder, this.name);
    this.#running = await startProgram({
      dataDir,
      port: this.port,
      command: [...within, ...command ?? programCommand()] as unknown as Command,
      args: [
        "--kv",
        kv,
        "--blobs",
        blobs,
        "--node-id",
        this.name,
        "--keys-file",
        join(folder, "keys.json"),
        "--trust-proxy",
        "127.0.0.0/8",
        ...args,
      ],
      env: { ...cleanEnvironment(join(folder, "home")), ...env, SVC_BOOTSTRAP_TOKEN: TOKEN },
    });
  }

  /** Kills the node. Resolves when its process has exited. */
  async kill(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.kill();
    if (running !== undefined) this.#ended.push(running.errors());
  }

  /** Pauses or resumes the node's process. */
  signal(name: "SIGSTOP" | "SIGCONT"): void {
    Deno.kill(this.#running!.pid, name);
  }

  async stop(): Promise<number> {
    const running = this.#running!;
    this.#running = undefined;
    const code = await running.stop();
    this.#ended.push(running.errors());
    return code;
  }
}

/** The store for the short form of the suite: a single PostgreSQL server. */
interface SinglePg extends AsyncDisposable {
  readonly kv: string;
  readonly password: string;
}

async function startSinglePg(): Promise<SinglePg> {
  const pg = await TestPg.start();
  const { socket, user, database, password } = await pg.newAddress();
  return {
    kv: `postgres://${user}@/${database}?host=${dirname(socket!)}`,
    password: password!,
    [Symbol.asyncDispose]: () => pg[Symbol.asyncDispose](),
  };
}

interface MachinesOptions {
  /** Additional arguments for `svc serve`. */
  readonly args?: readonly string[];
  /** Name of a node in a separate network that can be cut off. Requires Patroni. */
  readonly cuttable?: string;
  /** The program that the nodes run; by default, the program under test. */
  readonly command?: Command;
}

/** Three nodes, and everything that the nodes need. */
export class Machines implements AsyncDisposable {
  readonly #parts: AsyncDisposableStack;
  readonly #whole: { readonly patroni: Patroni; readonly storage: Storage } | undefined;
  readonly #cable: Cable | undefined;
  readonly #client: Deno.HttpClient;

  private constructor(
    parts: AsyncDisposableStack,
    readonly folder: string,
    readonly nodes: readonly [Node, Node, Node],
    readonly port: number,
    whole: { readonly patroni: Patroni; readonly storage: Storage } | undefined,
    cable: Cable | undefined,
    client: Deno.HttpClient,
  ) {
    this.#parts = parts;
    this.#whole = whole;
    this.#cable = cable;
    this.#client = client;
  }

  /** Starts Patroni and versitygw if the complete suite runs; otherwise, starts smaller servers. */
  static async start({ args = [], cuttable, command }: MachinesOptions = {}): Promise<Machines> {
    await using starting = new AsyncDisposableStack();
    const folder = await Deno.makeTempDir({ prefix: "svc-machines-" });
    starting.defer(() => Deno.remove(folder, { recursive: true }));
    // Servers that run as other users must be able to enter this folder.
    await Deno.chmod(folder, 0o755);
    await Deno.mkdir(join(folder, "home"));
    const [port, ...ports] = freePorts(4) as [number, number, number, number];
    let whole: { readonly patroni: Patroni; readonly storage: Storage } | undefined;
    let places: Places;
    if (IS_LONG) {
      const storage = starting.use(await Storage.start(folder, freePorts(1)[0]!));
      const patroni = starting.use(await Patroni.start(folder));
      whole = { patroni, storage };
      const env = { ...storage.env, SVC_KV_PASSWORD: patroni.password };
      places = { kv: patroni.place(), blobs: storage.place(), env };
    } else {
      const storage = starting.use(await openTestStorage());
      const pg = starting.use(await startSinglePg());
      const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = storage.env;
      const keys = {
        AWS_ACCESS_KEY_ID: AWS_ACCESS_KEY_ID!,
        AWS_SECRET_ACCESS_KEY: AWS_SECRET_ACCESS_KEY!,
      };
      const env = { ...keys, SVC_KV_PASSWORD: pg.password };
      places = { kv: pg.kv, blobs: storage.place, env };
    }
    let cable: Cable | undefined;
    const placesOf = new Map<string, Places>();
    if (cuttable !== undefined) {
      const { patroni, storage } = whole!;
      const node = ports[["a", "b", "c"].indexOf(cuttable)]!;
      const servers = [...patroni.ports, storage.port];
      cable = starting.use(await Cable.start(folder, { node, servers }));
      const { host, within } = cable;
      const [kv, blobs] = [patroni.place(host), storage.place(host)];
      placesOf.set(cuttable, { ...places, kv, blobs, within });
    }
    const firstUid = freeBuildUid();
    const node = (name: string, index: number): Node =>
      new Node(name, ports[index]!, {
        folder,
        args: ["--build-uid", String(firstUid + index * 1000), ...args],
        places: () => placesOf.get(name) ?? places,
      });
    const nodes = [node("a", 0), node("b", 1), node("c", 2)] as const;
    for (const each of nodes) {
      await each.start(command);
      starting.defer(() => each.kill());
    }
    starting.use(await startBalancer(folder, port, nodes));
    // On a reused connection, Deno's `fetch` resends a POST request if the server closes the
    // connection (https://github.com/denoland/deno/pull/32566). That would create an event twice.
    const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
    starting.defer(() => client.close());
    return new Machines(starting.move(), folder, [...nodes], port, whole, cable, client);
  }

  get patroni(): Patroni {
    return this.#whole!.patroni;
  }

  get storage(): Storage {
    return this.#whole!.storage;
  }

  node(name: string): Node {
    return this.nodes.find((node) => node.name === name)!;
  }

  /** Cuts off the node. Packets no longer arrive, but no connection is closed. */
  async cut(): Promise<void> {
    await this.#cable!.pull();
  }

  async mend(): Promise<void> {
    await this.#cable!.plug();
  }

  /** Calls the API once, through the load balancer. */
  api(method: string, path: string, options: ApiOptions = {}): Promise<ApiAnswer> {
    const client = this.#client;
    return callApi(`http://127.0.0.1:${this.port}`, method, path, { ...options, client });
  }

  async [Symbol.asyncDispose]() {
    await this.#parts[Symbol.asyncDispose]();
  }
}
