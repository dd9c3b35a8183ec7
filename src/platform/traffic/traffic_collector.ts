/** Adds the edge's counts to the traffic book, by environment. @module */
import { type DeploymentCounts, TrafficCounts } from "../../traffic/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import type { TrafficBook } from "./traffic_book.ts";

interface TrafficCollectorOptions {
  readonly deployments: Pick<DeploymentStore, "find">;
  /** The edge's counts. */
  readonly counter: { take(): readonly DeploymentCounts[] };
  readonly book: Pick<TrafficBook, "add">;
  /** Called with all counts when they are collected. */
  readonly onCounts?: ((counts: readonly DeploymentCounts[]) => void) | undefined;
  now(): number;
}

interface Arrived {
  readonly projectId: string;
  readonly counts: TrafficCounts;
}

export class TrafficCollector {
  /** Counts by deployment, which limits their size while the store cannot be read. */
  readonly #arrived = new Map<string, Arrived>();

  readonly #options: TrafficCollectorOptions;

  constructor(options: TrafficCollectorOptions) {
    this.#options = options;
  }

  /** Moves counts to the book, unless the deployment was removed. @throws if the store fails */
  async collect(): Promise<void> {
    const { counter, book, deployments, now } = this.#options;
    const taken = counter.take();
    this.#options.onCounts?.(taken);
    this.#add(taken);
    for (const [deploymentId, { projectId }] of [...this.#arrived]) {
      const deployment = await deployments.find(projectId, deploymentId);
      // Read again, because another round may have added or removed counts.
      const arrived = this.#arrived.get(deploymentId);
      this.#arrived.delete(deploymentId);
      if (deployment === undefined || arrived === undefined) continue;
      const { environment } = deployment;
      book.add({ projectId, environment }, arrived.counts.encode(), now());
    }
  }

  #add(counted: readonly DeploymentCounts[]): void {
    for (const { projectId, deploymentId, counts } of counted) {
      let arrived = this.#arrived.get(deploymentId);
      arrived ??= { projectId, counts: new TrafficCounts() };
      arrived.counts.merge(counts);
      this.#arrived.set(deploymentId, arrived);
    }
  }
}
