/** Steps of rolling releases. Each step is committed before the edge is notified of it. @module */
import type { RollingPlan } from "../../contract/releases.ts";
import type { SiteDirectory } from "../../edge/mod.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { uuidV7 } from "../../lib/ids.ts";
import type { Addresses } from "../core/addresses.ts";
import type { RaiseEvent } from "../core/events/mod.ts";
import { Failure } from "../core/http/mod.ts";
import type { Committed } from "../core/store/mod.ts";
import type { DeploymentRecord } from "./deployment.ts";
import { deploymentEvent } from "./deployment_event.ts";
import type { DeploymentOwner, DeploymentStore, Released } from "./deployment_store.ts";
import { productionOf } from "./production_change.ts";
import { StaleDecisionError } from "./host_labels.ts";
import type { ReleaseRecord } from "./release_record.ts";
import type { Rollouts } from "./rollouts.ts";
import type { DeployedFunctions, DeployedServers } from "./running_code.ts";

/** The reason to record for a release that a user ended. */
export const BY_HAND = "Ended manually";

const SECOND = 1000;

export interface RollingServices {
  readonly deployments: Pick<DeploymentStore, "beginRelease" | "changeRelease" | "findHost">;
  readonly sites: Pick<
    SiteDirectory,
    "deploymentAt" | "isPinned" | "point" | "pointLazily"
  >;
  readonly addresses: Addresses;
  readonly computeService: Pick<DeployedServers, "retire" | "purge">;
  readonly functionService: Pick<DeployedFunctions, "retire">;
  collectCounts(): Promise<void>;
  readonly raiseEvent: RaiseEvent;
  readonly now: Clock;
  readonly random: Random;
}

export class RollingChanges {
  readonly #services: RollingServices;
  readonly #rollouts: Rollouts;

  constructor(services: RollingServices, rollouts: Rollouts) {
    this.#services = services;
    this.#rollouts = rollouts;
  }

  /**
   * Starts a release. Returns `undefined` if production serves nothing, or already serves this
   * deployment.
   */
  async beginIfShown(
    deployment: DeploymentRecord,
    { steps, everySeconds }: RollingPlan,
  ): Promise<DeploymentRecord | undefined> {
    const { deployments, computeService, now, random } = this.#services;
    const { id, projectId, workspaceId, projectName } = deployment;
    const from = (await deployments.findHost(projectName))?.deploymentId ?? null;
    if (from === null || from === id) return undefined;
    const time = now();
    const release: ReleaseRecord = {
      id: uuidV7(now, random),
      projectId,
      workspaceId,
      from,
      to: id,
      state: "RUNNING",
      reason: null,
      steps: [...steps],
      step: 0,
      everyMs: everySeconds === null ? null : everySeconds * SECOND,
      startedAt: time,
      stepStartedAt: time,
      endedAt: null,
    };
    // The requests from the deployment's checks do not come from visitors, so they are counted
    // before the release starts.
    await this.#services.collectCounts();
    const begun = await this.#rollouts.run(projectId, async () => {
      const committed = await deployments.beginRelease(release, time).catch(refuse);
      await computeService.purge(id, { type: "all" });
      await this.#show(committed);
      return committed;
    });
    const live = begun.result.deployment;
    await this.#services.raiseEvent(deploymentEvent("live", live, this.#services.addresses));
    return live;
  }

  /** Moves on from the step that was evaluated to the next one. */
  advance(owner: DeploymentOwner, judged: ReleaseRecord): Promise<Released> {
    return this.#change(owner, (running) => {
      if (running.id !== judged.id || running.step !== judged.step) {
        throw new StaleDecisionError("The release has just changed");
      }
      return { ...running, step: running.step + 1, stepStartedAt: this.#services.now() };
    });
  }

  async finish(owner: DeploymentOwner, reason: string): Promise<Released> {
    const finished = await this.#end(owner, "FINISHED", reason);
    this.#retire(finished.release.from);
    return finished;
  }

  async withdraw(owner: DeploymentOwner | { id: string; workspaceId: string }, reason: string) {
    const place = "projectId" in owner
      ? owner
      : { projectId: owner.id, workspaceId: owner.workspaceId };
    const back = await this.#end(place, "WITHDRAWN", reason);
    this.#retire(back.release.to);
    const { raiseEvent, addresses } = this.#services;
    await raiseEvent(deploymentEvent("withdrawn", back.deployment, addresses));
    return back;
  }

  #end(owner: DeploymentOwner, state: "FINISHED" | "WITHDRAWN", reason: string) {
    return this.#change(
      owner,
      (running) => ({ ...running, state, reason, endedAt: this.#services.now() }),
    );
  }

  async #change(
    owner: DeploymentOwner,
    change: (running: ReleaseRecord) => ReleaseRecord,
  ): Promise<Released> {
    const { deployments, now } = this.#services;
    return await this.#rollouts.run(owner.projectId, async () => {
      const committed = await deployments.changeRelease(owner, change, now()).catch(refuse);
      await this.#show(committed);
      return committed.result;
    });
  }

  async #show({ result, versionstamp: version }: Committed<Released>): Promise<void> {
    const { sites, addresses } = this.#services;
    const { project, hosts } = result;
    await Promise.all(hosts.map(async ({ label, deploymentId, rolling }) => {
      const hostname = addresses.hostname(label);
      const facts = productionOf(project, label);
      const to = { projectId: project.id, deploymentId, version, rolling, ...facts };
      if (sites.deploymentAt(hostname) === undefined) await sites.pointLazily(hostname, to);
      await sites.point(hostname, to);
    }));
  }

  /** Stops a deployment's servers and functions, unless open pages still need them. */
  #retire(deploymentId: string): void {
    if (this.#services.sites.isPinned(deploymentId)) return;
    this.#services.computeService.retire([deploymentId]);
    this.#services.functionService.retire([deploymentId]);
  }
}

function refuse(error: unknown): never {
  const isRace = error instanceof StaleDecisionError || error instanceof RangeError;
  if (!isRace) throw error;
  throw new Failure("conflict", error.message, { cause: error });
}
