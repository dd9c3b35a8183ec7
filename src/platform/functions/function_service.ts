/**
 * Deployments' functions. They are sealed when they are received, and run next to the site that
 * uses them.
 *
 * @module
 */
import type { Environment } from "../../lib/network_variables.ts";
import type { Health } from "../../contract/system.ts";
import {
  BLOBS_ORIGIN,
  outboundToBlobs,
  type ProjectBlobs,
  withBlobVariables,
} from "../blobs/mod.ts";
import type { ProjectKv } from "../kv/create_kv.ts";
import type { SiteFunctions } from "../../edge/mod.ts";
import type { FunctionSettings } from "../../manifest/mod.ts";
import {
  createFunctionHost,
  type FunctionHost,
  functionProcessCommand,
  type FunctionSource,
  type OutboundFetch,
  type ProcessCommand,
  ProcessPlaces,
  type SealedFunction,
  sealFunction,
} from "../../runtime/mod.ts";
import { defaultProcessLimits } from "../compute/mod.ts";
import type { Databases, DeploymentDatabases } from "../databases/mod.ts";
import type { DeploymentRecord } from "../deployments/mod.ts";
import { Failure } from "../core/http/mod.ts";
import type { AccessLogs } from "../logs/mod.ts";
import type { BlobStore } from "../core/store/mod.ts";

/** How long running calls may take to finish when their functions are stopped, in milliseconds. */
const DRAIN_MS = 5_000;

export interface FunctionServices {
  readonly variables: Pick<DeploymentDatabases, "ownVariables">;
  readonly logs: AccessLogs;
  /** Carries out the functions' `fetch` calls. */
  readonly outbound: OutboundFetch;
  /** Handles requests from a deployment's functions to its key-value store. */
  readonly kvFetchFor: ProjectKv["kvFetchFor"];
  /** The blob stores, which functions access with `fetch`. */
  readonly blobs: Pick<ProjectBlobs, "blobsFor" | "handle">;
  /** Runs statements from a deployment's functions on its database. */
  readonly databaseFetchFor: Databases["databaseFetchFor"];
  /** Folder where sealing unpacks its tools once. */
  readonly cacheDir: string;
  /** Prefix for the processes' folders in the system's temporary folder. */
  readonly folderPrefix?: () => Promise<string>;
  /** Maximum number of processes; by default, as many as the memory allows. */
  readonly maxProcesses: number | undefined;
  readonly env: Environment;
  onTrouble(message: string): void;
}

export class FunctionService {
  readonly #hosts = new Map<string, FunctionHost>();
  readonly #places: ProcessPlaces;
  readonly #spawn: (socketPath: string) => ProcessCommand;

  readonly #services: FunctionServices;

  constructor(services: FunctionServices) {
    this.#services = services;
    this.#spawn = functionProcessCommand({ env: services.env });
    this.#places = new ProcessPlaces({
      max: services.maxProcesses ?? defaultProcessLimits().functions,
    });
  }

  /** Returns the current and the maximum number of function processes. */
  describe(): Health["functions"] {
    const { taken: running, max } = this.#places;
    return { running, max };
  }

  /** @throws {Failure} `invalid_request`, with each problem and its position. */
  readonly seal = async (name: string, source: Uint8Array): Promise<SealedFunction> => {
    const { cacheDir } = this.#services;
    const result = await sealFunction(name, new TextDecoder().decode(source), { cacheDir });
    if (result.ok) return result.function;
    const problems = result.problems.map(({ file, position, message }) => ({
      path: position === undefined ? file : `${file}:${position.line}:${position.column}`,
      message,
    }));
    const [first] = problems;
    throw new Failure(
      "invalid_request",
      `Function "${name}" cannot run: ${first?.path}: ${first?.message}`,
      { problems },
    );
  };

  /**
   * Starts functions with their deployment's variables and limits. Returns `undefined` if there are
   * no functions.
   */
  async open(
    deployment: DeploymentRecord,
    { blobs, limits }: {
      readonly blobs: BlobStore;
      readonly limits: FunctionSettings | undefined;
    },
  ): Promise<FunctionHost | undefined> {
    if (deployment.functions.length === 0) return undefined;
    const { variables, logs, outbound, kvFetchFor, blobs: stores, databaseFetchFor } =
      this.#services;
    const functions = await Promise.all(
      deployment.functions.map(async ({ name, sha256 }): Promise<FunctionSource> => ({
        name,
        source: new TextDecoder().decode(await blobs.read(sha256)),
      })),
    );
    const { id: deploymentId, projectId, environment } = deployment;
    const own = await variables.ownVariables(deployment);
    const access = await stores.blobsFor(deployment, BLOBS_ORIGIN);
    const host = createFunctionHost({
      deploymentId,
      functions,
      env: { ...withBlobVariables(access, own), ...own },
      ...(limits?.cpuMs === undefined ? {} : { limits: { cpuMs: limits.cpuMs } }),
      outbound: outboundToBlobs(stores.handle, outbound),
      kv: kvFetchFor({ deploymentId, projectId, environment }),
      database: databaseFetchFor(deployment),
      spawn: this.#spawn,
      folderPrefix: this.#services.folderPrefix,
      places: this.#places,
      log: (entry) => logs.recordFunction({ ...entry, projectId, deploymentId }),
    });
    this.#hosts.set(deploymentId, host);
    this.#start(host, { projectId, deploymentId }).catch((error) =>
      this.#services.onTrouble(`Cannot start the functions of deployment ${deploymentId}: ${error}`)
    );
    return host;
  }

  /** Stops superseded processes after their last call. A later request starts them again. */
  retire(deploymentIds: Iterable<string>): void {
    for (const id of deploymentIds) {
      void this.#hosts.get(id)?.endWhenIdle().catch((error) =>
        this.#services.onTrouble(`Cannot stop the functions of deployment ${id}: ${error}`)
      );
    }
  }

  /** Waits for running calls, then stops the processes of a site's functions. */
  async dispose(functions: SiteFunctions): Promise<void> {
    for (const [id, host] of this.#hosts) {
      if (host !== functions) continue;
      this.#hosts.delete(id);
      await host.drain(DRAIN_MS);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosts.values()].map((host) => this.dispose(host)));
  }

  /** Starts the processes before the first request, and logs failures. */
  async #start(
    host: FunctionHost,
    where: { readonly projectId: string; readonly deploymentId: string },
  ): Promise<void> {
    for (const { name, message } of await host.start()) {
      this.#services.logs.recordFunction({
        ...where,
        time: Date.now(),
        level: "error",
        function: name,
        message: `Cannot start the function: ${message}`,
      });
    }
  }
}
