/**
 * Deployments whose records are sent: the names that receivers see, and the values to mask.
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/error_message.ts";
import { RecentMap } from "../../lib/memo.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import type { DeploymentDatabases } from "../databases/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import { maskerFor, type VariableStore } from "../variables/mod.ts";
import { createResource, type OtlpResource, type RecordOwner } from "./log_records.ts";

/** Maximum number of deployments to remember. */
const MAX_KNOWN = 1000;
/**
 * How long to remember a deployment's variables, in milliseconds. Changes to databases can change
 * the variables.
 */
const KNOWN_MS = 60_000;
/**
 * How long to remember that a deployment is missing, or that its variables cannot be read, in
 * milliseconds.
 */
const MISSING_MS = 5000;

export interface OwnerParts {
  readonly deployments: Pick<DeploymentStore, "find">;
  readonly variables: Pick<VariableStore, "list">;
  readonly databases: Pick<DeploymentDatabases, "currentVariables">;
  /** The names of this node and its machine. */
  readonly node: string;
  readonly host: string;
  readonly now: Clock;
  onTrouble(message: string): void;
}

interface CachedOwner {
  readonly owner: RecordOwner | undefined;
  readonly until: number;
}

export class RecordOwners {
  readonly #known = new RecentMap<CachedOwner>(MAX_KNOWN);
  readonly #reading = new SingleFlight<RecordOwner | undefined>();
  /** The resource that describes the platform itself. */
  readonly platform: OtlpResource;

  readonly #parts: OwnerParts;

  constructor(parts: OwnerParts) {
    this.#parts = parts;
    this.platform = createResource({ "service.name": "svc", ...this.#place() });
  }

  /**
   * Finds the owner of a deployment's records. Returns `undefined` if the deployment was removed or
   * its variables are unreadable. In those cases, nothing is sent.
   */
  of(
    projectId: string,
    deploymentId: string,
  ): RecordOwner | undefined | Promise<RecordOwner | undefined> {
    const { now, onTrouble } = this.#parts;
    const known = this.#known.get(deploymentId);
    if (known !== undefined && now() < known.until) return known.owner;
    return this.#reading.run(deploymentId, async () => {
      const owner = await this.#read(projectId, deploymentId).catch((error) => {
        // The problem is reported once, not for each attempt.
        if (known === undefined || known.owner !== undefined) {
          onTrouble(`Cannot send logs of deployment ${deploymentId}: ${messageOf(error)}`);
        }
        return undefined;
      });
      const until = now() + (owner === undefined ? MISSING_MS : KNOWN_MS);
      this.#known.set(deploymentId, { owner, until });
      return owner;
    });
  }

  async #read(projectId: string, deploymentId: string): Promise<RecordOwner | undefined> {
    const { deployments, variables, databases } = this.#parts;
    const deployment = await deployments.find(projectId, deploymentId);
    if (deployment === undefined) return undefined;
    const [values, known] = await Promise.all([
      databases.currentVariables(deployment),
      variables.list(projectId),
    ]);
    // Uses the same resource as before, because metrics are grouped by it.
    const resource = this.#known.get(deploymentId)?.owner?.resource ?? createResource({
      "service.name": deployment.projectName,
      "service.version": deploymentId,
      "deployment.environment.name": deployment.environment,
      ...this.#place(),
    });
    return { resource, mask: maskerFor(values, known).mask };
  }

  #place() {
    const { node, host } = this.#parts;
    return { "service.instance.id": node, "host.name": host };
  }
}
