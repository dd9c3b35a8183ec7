/** The servers of one deployment, for the edge and the platform. @module */
import type { IsrCache, SiteCompute } from "../../edge/mod.ts";
import type { ComputeHealth, ComputeRequest, ComputeServer } from "../../runtime/mod.ts";
import type { DeploymentRecord } from "../deployments/mod.ts";
import type { LayerServer } from "./layer_server.ts";

export type ServersHealth =
  /** No request has needed these servers recently. */
  | { readonly state: "idle" }
  | { readonly state: "healthy" }
  | { readonly state: "unhealthy"; readonly reason: string };

export class SiteServers implements SiteCompute {
  readonly #layers: ReadonlyMap<string, LayerServer>;

  constructor(
    readonly owner: DeploymentRecord,
    layers: ReadonlyMap<string, LayerServer>,
    readonly pages: IsrCache,
  ) {
    this.#layers = layers;
  }

  fetch(layer: string, request: ComputeRequest) {
    return this.#layers.get(layer)!.fetch(request);
  }

  connect(layer: string, request: Omit<ComputeRequest, "body">) {
    return this.#layers.get(layer)!.connect(request);
  }

  /** Starts all servers. Returns the problem with the first server that does not listen. */
  start(): Promise<ServersHealth> {
    return this.#ask((server) => server.start());
  }

  check(): Promise<ServersHealth> {
    return this.#ask((server) => server.check());
  }

  /** Lets the servers finish running requests. Later requests start new servers. */
  async retire(milliseconds: number): Promise<void> {
    await this.#all((server) => server.retire(milliseconds));
  }

  /** Like `retire()`, for outdated servers only. */
  async retireOutdated(
    isOutdated: (server: ComputeServer) => boolean,
    milliseconds: number,
  ): Promise<void> {
    await this.#all((server) => server.retireOutdated(isOutdated, milliseconds));
  }

  /**
   * Gives running requests the given number of milliseconds to finish, then stops all processes
   * permanently.
   */
  async close(milliseconds: number): Promise<void> {
    await this.#all((server) => server.close(milliseconds));
  }

  async #all(work: (server: LayerServer) => Promise<void>): Promise<void> {
    await Promise.all([...this.#layers.values()].map(work));
  }

  async #ask(
    ask: (server: LayerServer) => Promise<ComputeHealth | undefined>,
  ): Promise<ServersHealth> {
    const all = await Promise.all(
      [...this.#layers].map(async ([name, server]) => ({ name, health: await ask(server) })),
    );
    let state: "idle" | "healthy" = "idle";
    for (const { name, health } of all) {
      if (health === undefined) continue;
      if (!health.healthy) {
        const reason = all.length === 1 ? health.reason : `${name}: ${health.reason}`;
        return { state: "unhealthy", reason };
      }
      state = "healthy";
    }
    return { state };
  }
}
