/** Creates deployments' servers: their folders, their variables and their processes. @module */
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import type { Environment } from "../../lib/network_variables.ts";
import {
  type ComputeLayer,
  type Engine,
  LINKS_PATH,
  type RuntimeSettings,
  runtimeSettings,
} from "../../manifest/mod.ts";
import {
  commandProcessCommand,
  computeProcessCommand,
  type ComputeServer,
  type ComputeServerOptions,
  createComputeServer,
  type LocalRoute,
  nodeProcessCommand,
  NodeVersionError,
  NodeVersions,
  type Revalidation,
  ServerLauncher,
  type SharedSpawnCommand,
  type SpawnCommand,
} from "../../runtime/mod.ts";
import { toolchainPlaces } from "../../toolchains/toolchain_places.ts";
import type { Addresses } from "../core/addresses.ts";
import { isFullDisk } from "../core/store/mod.ts";
import { DatabaseNotReadyError, type DeploymentRecord } from "../deployments/mod.ts";
import type { DeploymentDatabases } from "../databases/mod.ts";
import { type ProjectBlobs, withBlobVariables } from "../blobs/mod.ts";
import type { ProjectKv } from "../kv/create_kv.ts";
import type { AccessLogs } from "../logs/mod.ts";
import { ReferencesError } from "../variables/mod.ts";
import { commandTools, ToolMissingError } from "./command_tools.ts";
import { DeploymentFiles, type FilesSource } from "./deployment_files.ts";
import { LinksError } from "./deployment_links.ts";
import { type ServerSandbox, ServersRefusedError } from "./server_sandbox.ts";
import { localHosts, serverVariables } from "./server_variables.ts";

export interface ServerMakerOptions {
  readonly logs: AccessLogs;
  /** Gives servers access to the key-value store of their environment. */
  readonly kvFor: ProjectKv["kvFor"];
  /** Gives servers access to the blob store of their environment. */
  readonly blobsFor: ProjectBlobs["blobsFor"];
  /** The variables of a deployment's servers, and their access to its databases. */
  readonly databases: Pick<DeploymentDatabases, "openVariables" | "identityFor">;
  readonly addresses: Pick<Addresses, "url">;
  /** A project's custom hosts whose traffic reaches this platform. */
  readonly customHosts: (projectId: string) => Promise<readonly string[]>;
  /** Loopback ports on which servers reach the hosts of this platform. */
  readonly localRoutes: readonly LocalRoute[];
  readonly dataDir: string;
  readonly sandbox: ServerSandbox;
  /** Allows servers to access private, local and reserved addresses. */
  readonly allowPrivate: boolean;
  readonly env: Environment;
  readonly now: Clock;
  onTrouble(message: string): void;
  readonly shared: Required<Pick<ComputeServerOptions, "places" | "sockets">> & {
    /** Maximum number of open WebSockets per server. */
    readonly maxSockets: number;
    readonly socketsDir: () => Promise<string>;
  };
  /** Revalidates a deployment's cached content when its server requests it. */
  readonly revalidate: (deploymentId: string, what: Revalidation) => Promise<void>;
  readonly keepLine: (deploymentId: string, line: string) => void;
}

/** A server has no start command. The message is for the person who deploys. */
class CommandMissingError extends Error {
  override readonly name = "CommandMissingError";
  constructor() {
    super('The engine "command" needs a command: set "runtime.command" in its layer');
  }
}

/**
 * Returns whether an error's message is for the person who deploys. All other messages may contain
 * the platform's paths.
 */
function isForDeployer(error: unknown): boolean {
  return error instanceof ServersRefusedError || error instanceof NodeVersionError ||
    error instanceof DatabaseNotReadyError || error instanceof ReferencesError ||
    error instanceof ToolMissingError || error instanceof CommandMissingError;
}

const storesOf = (databases: string, blobs: string): string => `${databases} ${blobs}`;

export class ServerMaker {
  readonly #files: DeploymentFiles;
  readonly #nodes: NodeVersions;
  readonly #launchers: Readonly<Record<Engine, ServerLauncher>>;

  /** Toolchain folders on this machine that servers can see. */
  #places: ReturnType<typeof toolchainPlaces> | undefined;

  /** The databases and the blob store with which each server was created. */
  readonly #stores = new WeakMap<ComputeServer, string>();

  readonly #options: ServerMakerOptions;

  constructor(options: ServerMakerOptions) {
    this.#options = options;
    const { dataDir, env } = options;
    this.#files = new DeploymentFiles(join(dataDir, "compute"));
    this.#nodes = new NodeVersions({ folder: join(dataDir, "node"), env });
    const launcher = (command: SpawnCommand, spareCommand?: SharedSpawnCommand) =>
      new ServerLauncher({ command, spareCommand, parentFolder: options.shared.socketsDir });
    const [node, command] = [nodeProcessCommand({ env }), commandProcessCommand({ env })];
    this.#launchers = {
      deno: launcher(computeProcessCommand({ env })),
      node: launcher(node, node),
      command: launcher(command, command),
    };
  }

  /** Stops the processes that are kept ready for new servers. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#launchers).map((launcher) => launcher.close()));
  }

  /**
   * Creates a server, whose process starts on the first request.
   *
   * @throws {Error} with a message for the person who deploys
   */
  async make(
    deployment: DeploymentRecord,
    layer: ComputeLayer,
    source: FilesSource,
  ): Promise<ComputeServer> {
    try {
      return await this.#make(deployment, layer, source);
    } catch (cause) {
      if (isForDeployer(cause)) throw cause;
      if (cause instanceof LinksError) {
        throw new Error(`${LINKS_PATH} is not valid: ${cause.message}`, { cause });
      }
      const reason = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
      this.#options.onTrouble(`Cannot prepare a server of deployment ${deployment.id}: ${reason}`);
      throw new Error(
        isFullDisk(cause)
          ? "the platform's disk is full"
          : "the platform cannot prepare it. See the platform's log",
        { cause },
      );
    }
  }

  /** Returns whether a server was created with databases or keys that have changed since. */
  async findOutdated(deployment: DeploymentRecord): Promise<(server: ComputeServer) => boolean> {
    const databases = await this.#options.databases.identityFor(deployment);
    const { identity } = await this.#options.blobsFor(deployment, "");
    return (server) =>
      databases !== undefined && this.#stores.get(server) !== storesOf(databases, identity);
  }

  /** Removes the folders and Node versions that no deployment needs. */
  async sweep(isNeeded: (deploymentId: string) => boolean): Promise<void> {
    for (const id of await this.#files.list()) if (!isNeeded(id)) await this.#files.remove(id);
    await this.#nodes.sweep(isNeeded);
  }

  async remove(deploymentId: string): Promise<void> {
    await this.#files.remove(deploymentId);
  }

  async #make(
    deployment: DeploymentRecord,
    layer: ComputeLayer,
    source: FilesSource,
  ): Promise<ComputeServer> {
    const { addresses, localRoutes, logs, allowPrivate, sandbox, shared, keepLine } = this.#options;
    const { id: deploymentId, projectId } = deployment;
    const place = { projectId, deploymentId, layer: layer.name };
    this.#refuse(place);
    const kv = this.#options.kvFor({
      deploymentId,
      projectId,
      environment: deployment.environment,
    });
    const variables = await this.#options.databases.openVariables(deployment);
    const { own } = variables;
    const blobs = await this.#options.blobsFor(deployment, kv.variables.SVC_KV_URL!);
    const { engine, nodeVersion, command, image, ...limits } = runtimeSettings(layer);
    const { tmpMb, timeoutMs, memoryMb, startTimeoutMs: startMs } = limits;
    const say = (message: string) =>
      logs.recordServer({ ...place, time: this.#options.now(), level: "info", message });
    const { places, sockets, maxSockets } = shared;
    const { dataDir, env } = this.#options;
    const directory = await this.#files.folder(source);
    const server = createComputeServer({
      deploymentId,
      directory,
      entry: layer.entry,
      env: serverVariables(deployment, {
        addresses,
        variables: own,
        stores: { ...withBlobVariables(blobs, own), ...variables.databases, ...kv.variables },
      }),
      limits: { timeoutMs, memoryMb, maxSockets, startMs },
      engine,
      tmpMb,
      ...(engine === "node"
        ? {
          nodeBinary: await this.#nodes.binary({ version: nodeVersion, user: deploymentId, say }),
        }
        : {}),
      ...(engine === "node" && command !== undefined
        ? { command, tools: await commandTools({ command, directory, dataDir, env, say }) }
        : {}),
      ...(engine === "command" ? { program: await this.#program(command, image) } : {}),
      allowPrivate,
      routes: localRoutes,
      hosts: localHosts(deployment, {
        addresses,
        localRoutes,
        custom: await this.#options.customHosts(projectId),
      }),
      peers: [kv.address, ...variables.addresses],
      allowUnsandboxed: sandbox.sandbox === "unsandboxed",
      places,
      sockets,
      launcher: this.#launchers[engine],
      revalidate: (what) => this.#options.revalidate(deploymentId, what),
      log: (entry) => {
        logs.recordServer({ ...entry, ...place });
        keepLine(deploymentId, entry.message);
      },
    });
    this.#stores.set(server, storesOf(variables.identity, blobs.identity));
    return server;
  }

  /** Returns the start options for a server with a command, and the folders that it needs. */
  async #program(
    command: string | undefined,
    image: RuntimeSettings["image"],
  ): Promise<ComputeServerOptions["program"]> {
    if (image !== undefined) {
      return { command, image, toolchains: [], path: [] };
    }
    if (command === undefined) throw new CommandMissingError();
    const { dataDir, env } = this.#options;
    return {
      command,
      ...await (this.#places ??= toolchainPlaces(env, { dataDir, builds: false })),
    };
  }

  /** @throws ServersRefusedError if servers cannot run on this machine. Also logs the reason */
  #refuse(place: { projectId: string; deploymentId: string; layer: string }): void {
    const { sandbox, logs, now } = this.#options;
    if (sandbox.sandbox !== "refused") return;
    const refused = new ServersRefusedError(sandbox);
    logs.recordServer({ ...place, time: now(), level: "error", message: refused.message });
    throw refused;
  }
}
