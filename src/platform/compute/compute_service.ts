/**
 * The servers of all deployments with COMPUTE layers: their files, their
 * processes, and their cached pages.
 *
 * @module
 */
import type { Environment } from "../../lib/network_variables.ts";
import { join } from "node:path";
import {
  type HttpCache,
  IsrCache,
  IsrMemory,
  type PurgeOptions,
  type PurgeScope,
} from "../../edge/mod.ts";
import { normalizePath } from "../../rules/mod.ts";
import type { Health } from "../../contract/mod.ts";
import type { Clock } from "../../lib/clock.ts";
import { type ComputeLayer, type Manifest, runtimeSettings } from "../../manifest/mod.ts";
import {
  computeProcessCommand,
  type ComputeServer,
  createComputeServer,
  ProcessPlaces,
  type Revalidation,
  SocketCount,
  type SocketLimits,
} from "../../runtime/mod.ts";
import { type DeploymentRecord, ServerNotReadyError } from "../deployments/mod.ts";
import type { VariableService } from "../variables/mod.ts";
import type { AccessLogs } from "../logs/mod.ts";
import { type BlobStore, isFullDisk } from "../core/store/mod.ts";
import { type DeployedFile, DeploymentFiles, type FilesSource } from "./deployment_files.ts";
import { PageFolders } from "./fs_page_vault.ts";
import { LayerServer } from "./layer_server.ts";
import { completeSocketLimits, defaultProcessLimits } from "./process_limits.ts";
import { makeRunFolder, removeRunFolder } from "./run_folder.ts";
import { type ServerSandbox, ServersRefusedError } from "./server_sandbox.ts";
import { SiteServers } from "./site_servers.ts";

/**
 * Time that running requests get when the platform stops or the deployment
 * ends, in milliseconds.
 */
const CLOSE_DRAIN_MS = 5_000;

/** Time that they get when another deployment took over: as long as a request may take at most. */
const RETIRE_DRAIN_MS = 15 * 60 * 1000;

/** Lines of a server's log that are shown when its deployment cannot go live. */
const LAST_LINES = 10;

export interface ComputeServices {
  /** Answers that rules store. */
  readonly cache: HttpCache;
  readonly variables: VariableService;
  readonly logs: AccessLogs;
  /** Folder for files of deployments, cached pages, and sockets. */
  readonly dataDir: string;
  /** Most servers at the same time; by default, what the machine's memory allows. */
  readonly maxServers: number | undefined;
  /** Limits of WebSockets to servers; by default, what the process's descriptors allow. */
  readonly serverSockets: Partial<SocketLimits> | undefined;
  /** Whether servers run here at all. */
  readonly sandbox: ServerSandbox;
  /** Lets servers reach private, local and reserved addresses. */
  readonly allowPrivate: boolean;
  /** The platform's own environment. */
  readonly env: Environment;
  readonly now: Clock;
  onTrouble(message: string): void;
}

/** What servers are made from. */
export interface ComputeContent {
  readonly manifest: Manifest;
  readonly files: readonly DeployedFile[];
}

const isCompute = (layer: Manifest["layers"][number]): layer is ComputeLayer =>
  layer.target === "COMPUTE";

/** True for a deployment that needs a server. */
export function hasCompute(manifest: Manifest): boolean {
  return manifest.layers.some(isCompute);
}

/** @throws {Error} where a path cannot be the path of a request. */
function scopesOf({ paths, tags }: Revalidation): readonly PurgeScope[] {
  return [
    ...paths.map((path): PurgeScope => ({ type: "path", path: purgedPath(path) })),
    ...tags.map((tag): PurgeScope => ({ type: "tag", tag })),
  ];
}

function purgedPath(path: string): string {
  const normalized = normalizePath(path);
  if (typeof normalized === "string") return normalized;
  throw new Error(`The path "${path.slice(0, 80)}" cannot be the path of a request`);
}

export class ComputeService {
  readonly #files: DeploymentFiles;
  readonly #folders: PageFolders;
  readonly #memory = new IsrMemory();
  readonly #open = new Map<string, SiteServers>();
  /** Servers that are ending: their last requests still run. */
  readonly #closing = new Set<Promise<void>>();
  /** The last lines of the log, by deployment. */
  readonly #lines = new Map<string, string[]>();
  readonly #spawn: ReturnType<typeof computeProcessCommand>;
  readonly #places: ProcessPlaces;
  readonly #socketsPerServer: number;
  /** The WebSockets of all servers. */
  readonly #sockets: SocketCount;
  #runFolder: Promise<string> | undefined;

  constructor(private readonly services: ComputeServices) {
    this.#files = new DeploymentFiles(join(services.dataDir, "compute"));
    this.#folders = new PageFolders(join(services.dataDir, "isr"));
    this.#places = new ProcessPlaces({
      max: services.maxServers ?? defaultProcessLimits().servers,
    });
    const { perServer, total } = completeSocketLimits(services.serverSockets ?? {});
    this.#socketsPerServer = perServer;
    this.#sockets = new SocketCount(total);
    this.#spawn = computeProcessCommand({ env: services.env });
  }

  /** Whether servers run on this machine, and how many do. */
  describe(): Health["servers"] {
    const { taken: running, max } = this.#places;
    const { sandbox, missing } = this.services.sandbox;
    return { sandbox, missing: [...missing], running, max };
  }

  /** The servers of a deployment; `undefined` where it has none. Starts nothing yet. */
  open(
    deployment: DeploymentRecord,
    content: ComputeContent,
    blobs: BlobStore,
  ): SiteServers | undefined {
    const layers = content.manifest.layers.filter(isCompute);
    if (layers.length === 0) return undefined;
    const known = this.#open.get(deployment.id);
    if (known !== undefined) return known;
    const source = { deploymentId: deployment.id, files: content.files, blobs };
    const servers = new SiteServers(
      deployment,
      new Map(layers.map((layer) => [
        layer.name,
        new LayerServer(() => this.#prepare(deployment, layer, source)),
      ])),
      this.#pagesOf(deployment.id),
    );
    this.#open.set(deployment.id, servers);
    return servers;
  }

  /** The servers of all open deployments. */
  all(): readonly SiteServers[] {
    return [...this.#open.values()];
  }

  /** The servers of a deployment, if it is open. */
  find(deploymentId: string): SiteServers | undefined {
    return this.#open.get(deploymentId);
  }

  /**
   * Starts the servers of a deployment before production shows it.
   *
   * @throws {ServerNotReadyError} where one does not listen in time.
   */
  async prepare(
    deployment: DeploymentRecord,
    content: ComputeContent,
    blobs: BlobStore,
  ): Promise<void> {
    const servers = this.open(deployment, content, blobs);
    const health = await servers?.start();
    if (servers === undefined || health?.state !== "unhealthy") return;
    const lines = this.#lines.get(deployment.id) ?? [];
    await servers.retire(0);
    throw new ServerNotReadyError(health.reason, lines);
  }

  /**
   * Ends the servers of superseded deployments once their running requests are
   * finished. A request to their own address starts them again.
   */
  retire(deploymentIds: Iterable<string>): void {
    for (const id of deploymentIds) {
      void this.#open.get(id)?.retire(RETIRE_DRAIN_MS).catch((error) =>
        this.services.onTrouble(`Cannot end a server: ${error}`)
      );
    }
  }

  /** Ends the servers of a site that no host shows any more. */
  dispose(deploymentId: string): Promise<void> {
    const servers = this.#open.get(deploymentId);
    if (servers === undefined) return Promise.resolve();
    this.#open.delete(deploymentId);
    this.#lines.delete(deploymentId);
    const closing = servers.close(CLOSE_DRAIN_MS).catch((error) =>
      this.services.onTrouble(`Cannot end a server: ${error}`)
    ).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    return closing;
  }

  /**
   * Removes what is cached of a deployment, loaded or not, or with `soft` marks it as
   * stale. Returns how many answers there were.
   */
  async purge(
    deploymentId: string,
    scope: PurgeScope,
    options: PurgeOptions = {},
  ): Promise<number> {
    const answers = this.services.cache.purge(deploymentId, scope, options);
    const pages = this.#open.get(deploymentId)?.pages ?? this.#pagesOf(deploymentId);
    return answers + await pages.purge(scope, options);
  }

  /**
   * Revalidates cached answers and pages, as the code of a deployment's own server asks.
   *
   * @throws {Error} where a path cannot be the path of a request.
   */
  async revalidate(deploymentId: string, what: Revalidation): Promise<void> {
    const scopes = scopesOf(what);
    const { soft } = what;
    for (const scope of scopes) this.services.cache.purge(deploymentId, scope, { soft });
    await this.#open.get(deploymentId)?.pages.revalidate(scopes, { soft });
  }

  /** Removes what the servers of a killed platform left behind. */
  async recover(): Promise<void> {
    await this.#socketsDir();
  }

  /** Removes everything that deployments left behind which are no longer needed. */
  async sweep(isNeeded: (deploymentId: string) => boolean): Promise<void> {
    for (const kept of [this.#files, this.#folders]) {
      for (const id of await kept.list()) {
        if (!isNeeded(id) && !this.#open.has(id)) await kept.remove(id);
      }
    }
  }

  /** Removes everything that an ended deployment left behind. */
  async remove(deploymentId: string): Promise<void> {
    await this.dispose(deploymentId);
    for (const kept of [this.#files, this.#folders]) await kept.remove(deploymentId);
  }

  /** Ends all servers; running requests get some time to finish. */
  async close(): Promise<void> {
    for (const id of [...this.#open.keys()]) void this.dispose(id);
    await Promise.all(this.#closing);
    await this.#runFolder?.catch(() => {});
    await removeRunFolder(this.services.dataDir);
  }

  /** The folder for sockets, created by the first call. */
  #socketsDir(): Promise<string> {
    return this.#runFolder ??= makeRunFolder(this.services.dataDir);
  }

  #pagesOf(deploymentId: string): IsrCache {
    const { now, onTrouble } = this.services;
    return new IsrCache({
      deploymentId,
      store: this.#folders.of(deploymentId),
      memory: this.#memory,
      now,
      onError: (error) => onTrouble(`Deployment ${deploymentId}: ${error}`),
    });
  }

  /** Creates a server. Why it fails is shown to the operator only, as the reason may name paths. */
  async #prepare(
    deployment: DeploymentRecord,
    layer: ComputeLayer,
    source: FilesSource,
  ): Promise<ComputeServer> {
    try {
      return await this.#create(deployment, layer, await this.#files.folder(source));
    } catch (cause) {
      if (cause instanceof ServersRefusedError) throw cause;
      const reason = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
      this.services.onTrouble(`Cannot prepare a server of deployment ${deployment.id}: ${reason}`);
      throw new Error(
        isFullDisk(cause)
          ? "the platform's disk is full"
          : "the platform cannot prepare it; its log has the reason",
        { cause },
      );
    }
  }

  async #create(
    { id: deploymentId, projectId }: DeploymentRecord,
    layer: ComputeLayer,
    directory: string,
  ): Promise<ComputeServer> {
    const { variables, logs, allowPrivate, sandbox } = this.services;
    const place = { projectId, deploymentId, layer: layer.name };
    if (sandbox.sandbox === "refused") {
      const refused = new ServersRefusedError(sandbox);
      const { message } = refused;
      logs.recordServer({ ...place, time: this.services.now(), level: "error", message });
      throw refused;
    }
    return createComputeServer({
      deploymentId,
      directory,
      entry: layer.entry,
      env: await variables.openSnapshot(deploymentId),
      limits: { ...runtimeSettings(layer), maxSockets: this.#socketsPerServer },
      allowPrivate,
      allowUnsandboxed: sandbox.sandbox === "unsandboxed",
      places: this.#places,
      sockets: this.#sockets,
      socketsDir: await this.#socketsDir(),
      spawn: this.#spawn,
      revalidate: (what) => this.revalidate(deploymentId, what),
      log: (entry) => {
        logs.recordServer({ ...entry, ...place });
        this.#keepLine(deploymentId, entry.message);
      },
    });
  }

  #keepLine(deploymentId: string, line: string): void {
    if (!this.#open.has(deploymentId)) return;
    const lines = this.#lines.get(deploymentId) ?? [];
    this.#lines.set(deploymentId, [...lines, line].slice(-LAST_LINES));
  }
}
