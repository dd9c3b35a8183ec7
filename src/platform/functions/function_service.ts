/**
 * The functions of deployments: sealed when they are received, run beside the
 * site that uses them.
 *
 * @module
 */
import type { Environment } from "../../lib/network_variables.ts";
import type { SiteFunctions } from "../../edge/mod.ts";
import {
  createFunctionHost,
  type FunctionHost,
  functionProcessCommand,
  type FunctionSource,
  type OutboundFetch,
  type ProcessCommand,
  type SealedFunction,
  sealFunction,
} from "../../runtime/mod.ts";
import type { DeploymentRecord } from "../deployments/deployment.ts";
import type { VariableService } from "../env/variable_service.ts";
import { Failure } from "../http/failure.ts";
import type { AccessLogs } from "../logs/access_logs.ts";
import type { BlobStore } from "../store/blob_store.ts";

/** Time that calls under way get when their deployment goes, in milliseconds. */
const DRAIN_MS = 5_000;

export interface FunctionServices {
  readonly variables: VariableService;
  readonly logs: AccessLogs;
  /** Performs the functions' `fetch`. */
  readonly outbound: OutboundFetch;
  /** Folder for what sealing unpacks once. */
  readonly cacheDir: string;
  /** The platform's own environment. */
  readonly env: Environment;
}

export class FunctionService {
  readonly #hosts = new Set<FunctionHost>();
  readonly #spawn: (socketPath: string) => ProcessCommand;

  constructor(private readonly services: FunctionServices) {
    this.#spawn = functionProcessCommand({ env: services.env });
  }

  /**
   * Makes a received function safe to run.
   *
   * @throws {Failure} `invalid_request`, with each problem and its place.
   */
  readonly seal = async (name: string, source: Uint8Array): Promise<SealedFunction> => {
    const { cacheDir } = this.services;
    const result = await sealFunction(name, new TextDecoder().decode(source), { cacheDir });
    if (result.ok) return result.function;
    const problems = result.problems.map(({ file, position, message }) => ({
      path: position === undefined ? file : `${file}:${position.line}:${position.column}`,
      message,
    }));
    const [first] = problems;
    throw new Failure(
      "invalid_request",
      `Function "${name}" can not run: ${first?.path}: ${first?.message}`,
      { problems },
    );
  };

  /**
   * Starts the functions of a deployment with the variables it was made with;
   * `undefined` where it has none.
   */
  async open(deployment: DeploymentRecord, blobs: BlobStore): Promise<FunctionHost | undefined> {
    if (deployment.functions.length === 0) return undefined;
    const { variables, logs, outbound } = this.services;
    const functions = await Promise.all(
      deployment.functions.map(async ({ name, sha256 }): Promise<FunctionSource> => ({
        name,
        source: new TextDecoder().decode(await blobs.read(sha256)),
      })),
    );
    const { id: deploymentId, projectId } = deployment;
    const host = createFunctionHost({
      deploymentId,
      functions,
      env: await variables.openSnapshot(deploymentId),
      outbound,
      spawn: this.#spawn,
      log: (entry) => logs.recordFunction({ ...entry, projectId, deploymentId }),
    });
    this.#hosts.add(host);
    void this.#start(host, { projectId, deploymentId });
    return host;
  }

  /** Lets calls under way finish, then ends the processes of a site's functions. */
  async dispose(functions: SiteFunctions): Promise<void> {
    for (const host of this.#hosts) {
      if (host !== functions) continue;
      this.#hosts.delete(host);
      await host.drain(DRAIN_MS);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosts].map((host) => this.dispose(host)));
  }

  /** Starts before the first request, and logs what can not start. */
  async #start(
    host: FunctionHost,
    where: { readonly projectId: string; readonly deploymentId: string },
  ): Promise<void> {
    for (const { name, message } of await host.start()) {
      this.services.logs.recordFunction({
        ...where,
        time: Date.now(),
        level: "error",
        function: name,
        message: `Can not start: ${message}`,
      });
    }
  }
}
