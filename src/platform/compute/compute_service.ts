/** The servers of all deployments: their files, processes and cached pages. @module */
import type { PurgeOptions, PurgeScope } from "../../edge/mod.ts";
import type { Health } from "../../contract/system.ts";
import { type ComputeLayer, type Manifest, runtimeSettings } from "../../manifest/mod.ts";
import {
  probeNodeSandbox,
  ProcessPlaces,
  SocketCount,
  type SocketLimits,
} from "../../runtime/mod.ts";
import { type DeploymentRecord, ServerNotReadyError } from "../deployments/mod.ts";
import type { BlobStore } from "../core/store/mod.ts";
import { CachedAnswers, type CachedAnswersOptions } from "./cached_answers.ts";
import type { DeployedFile } from "./deployment_files.ts";
import { findSilence } from "./health_request.ts";
import { LayerServer } from "./layer_server.ts";
import { completeSocketLimits, defaultProcessLimits } from "./process_limits.ts";
import { makeRunFolder, removeRunFolder } from "./run_folder.ts";
import { judgeNodeSandbox } from "./server_sandbox.ts";
import { ServerMaker, type ServerMakerOptions } from "./server_maker.ts";
import { deploymentUrl } from "./server_variables.ts";
import { SiteServers } from "./site_servers.ts";

/**
 * Time within which running requests must finish when the platform or a deployment is stopped, in
 * milliseconds.
 */
const CLOSE_DRAIN_MS = 5_000;

/**
 * Time within which a superseded server's running requests must finish, in milliseconds: the
 * maximum duration of a request.
 */
const RETIRE_DRAIN_MS = 15 * 60 * 1000;

const LAST_LINES = 20;

export interface ComputeServices
  extends
    Omit<ServerMakerOptions, "keepLine" | "revalidate" | "shared">,
    Pick<CachedAnswersOptions, "cache" | "publish"> {
  /** Maximum number of concurrent servers. The default depends on the machine's memory. */
  readonly maxServers: number | undefined;
  /** Limits on WebSockets to servers; the defaults depend on the available file descriptors. */
  readonly serverSockets: Partial<SocketLimits> | undefined;
}

interface ComputeContent {
  readonly manifest: Manifest;
  readonly files: readonly DeployedFile[];
}

const isCompute = (layer: Manifest["layers"][number]): layer is ComputeLayer =>
  layer.target === "COMPUTE";

export class ComputeService {
  readonly cached: CachedAnswers;
  readonly #maker: ServerMaker;
  readonly #open = new Map<string, SiteServers>();
  /** Servers that are finishing their last requests. */
  readonly #closing = new Set<Promise<void>>();
  /** The last log lines, by deployment. */
  readonly #lines = new Map<string, string[]>();
  readonly #places: ProcessPlaces;
  #runFolder: Promise<string> | undefined;

  readonly #services: ComputeServices;

  constructor(services: ComputeServices) {
    this.#services = services;
    this.cached = new CachedAnswers({ ...services, open: this.#open });
    this.#places = new ProcessPlaces({
      max: services.maxServers ?? defaultProcessLimits().servers,
    });
    const { perServer, total } = completeSocketLimits(services.serverSockets ?? {});
    this.#maker = new ServerMaker({
      ...services,
      shared: {
        places: this.#places,
        sockets: new SocketCount(total),
        maxSockets: perServer,
        socketsDir: () => this.#socketsDir(),
      },
      revalidate: (deploymentId, what) => this.cached.revalidate(deploymentId, what),
      keepLine: (deploymentId, line) => this.#keepLine(deploymentId, line),
    });
  }

  /** Returns whether servers can run on this machine, and how many are running. */
  async describe(): Promise<Health["servers"]> {
    const { sandbox: judged, env } = this.#services;
    const node = await judgeNodeSandbox(judged, () => probeNodeSandbox({ env }));
    const { taken: running, max } = this.#places;
    const { sandbox, missing } = judged;
    return { sandbox, missing: [...missing], node, running, max };
  }

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
        new LayerServer(() => this.#maker.make(deployment, layer, source)),
      ])),
      this.cached.pagesOf(deployment.id),
    );
    this.#open.set(deployment.id, servers);
    return servers;
  }

  all(): readonly SiteServers[] {
    return [...this.#open.values()];
  }

  find(deploymentId: string): SiteServers | undefined {
    return this.#open.get(deploymentId);
  }

  /** Starts servers, and checks that each responds. @throws {ServerNotReadyError} */
  async prepare(
    deployment: DeploymentRecord,
    content: ComputeContent,
    blobs: BlobStore,
  ): Promise<void> {
    const servers = this.open(deployment, content, blobs);
    if (servers === undefined) return;
    const health = await servers.start();
    const reason = health.state === "unhealthy"
      ? health.reason
      : await this.#findSilence(deployment, content.manifest.layers.filter(isCompute), servers);
    if (reason === undefined) return;
    const lines = this.#lines.get(deployment.id) ?? [];
    await servers.retire(0);
    throw new ServerNotReadyError(reason, lines);
  }

  /**
   * Returns why a server does not respond. If several servers do not respond, returns the first
   * reason.
   */
  async #findSilence(
    deployment: DeploymentRecord,
    layers: readonly ComputeLayer[],
    servers: SiteServers,
  ): Promise<string | undefined> {
    const url = deploymentUrl(deployment, this.#services.addresses);
    const reasons = await Promise.all(layers.map(async (layer) => {
      const { healthPath: path, startTimeoutMs: readyMs, timeoutMs } = runtimeSettings(layer);
      const silence = await findSilence({
        path,
        readyMs,
        url,
        timeoutMs,
        requestId: `health_${deployment.id}`,
        fetch: (request) => servers.fetch(layer.name, request),
      });
      return silence === undefined || layers.length === 1 ? silence : `${layer.name}: ${silence}`;
    }));
    return reasons.find((reason) => reason !== undefined);
  }

  /**
   * Stops superseded servers once their running requests have finished. A later request starts them
   * again.
   */
  retire(deploymentIds: Iterable<string>): void {
    for (const id of deploymentIds) {
      void this.#open.get(id)?.retire(RETIRE_DRAIN_MS).catch((error) =>
        this.#services.onTrouble(`Cannot stop a server: ${error}`)
      );
    }
  }

  /** Replaces servers whose databases have changed, once their running requests have finished. */
  async databasesChanged(projectId?: string): Promise<void> {
    for (const servers of [...this.#open.values()]) {
      if (projectId !== undefined && servers.owner.projectId !== projectId) continue;
      const isOutdated = await this.#maker.findOutdated(servers.owner);
      // A server that is being created may be waiting for the database, so the server is checked
      // later.
      void servers.retireOutdated(isOutdated, RETIRE_DRAIN_MS).catch((error) =>
        this.#services.onTrouble(`Cannot stop a server: ${error}`)
      );
    }
  }

  dispose(deploymentId: string): Promise<void> {
    const servers = this.#open.get(deploymentId);
    if (servers === undefined) return Promise.resolve();
    this.#open.delete(deploymentId);
    this.#lines.delete(deploymentId);
    const closing = servers.close(CLOSE_DRAIN_MS).catch((error) =>
      this.#services.onTrouble(`Cannot stop a server: ${error}`)
    ).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    return closing;
  }

  purge(deploymentId: string, scope: PurgeScope, options?: PurgeOptions): Promise<number> {
    return this.cached.purge(deploymentId, scope, options);
  }

  /** Removes the sockets that servers left behind when the platform was killed. */
  async recover(): Promise<void> {
    await this.#socketsDir();
  }

  /** Removes everything that belongs to deployments that are no longer needed. */
  async sweep(isNeeded: (deploymentId: string) => boolean): Promise<void> {
    const isKept = (id: string): boolean => isNeeded(id) || this.#open.has(id);
    await this.#maker.sweep(isKept);
    await this.cached.sweep(isKept);
  }

  async remove(deploymentId: string): Promise<void> {
    await this.dispose(deploymentId);
    for (const kept of [this.#maker, this.cached]) await kept.remove(deploymentId);
  }

  /** Stops all servers, after giving running requests some time to finish. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.dispose(id)));
    await Promise.all([...this.#closing, this.#maker.close()]);
    await this.#runFolder?.catch(() => {});
    await removeRunFolder(this.#services.dataDir);
  }

  /** Returns the folder for sockets, created by the first call. */
  #socketsDir(): Promise<string> {
    return this.#runFolder ??= makeRunFolder(this.#services.dataDir);
  }

  #keepLine(deploymentId: string, line: string): void {
    if (!this.#open.has(deploymentId)) return;
    const lines = this.#lines.get(deploymentId) ?? [];
    this.#lines.set(deploymentId, [...lines, line].slice(-LAST_LINES));
  }
}
