/**
 * Deployments in Deno KV. A single atomic commit makes a deployment visible. The commit changes the
 * state, the host labels and the project's history.
 *
 * @module
 */
import * as z from "zod";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { isOwnEnvironment, latestLabel } from "../environments/mod.ts";
import { type HostRecord, type ProjectRecord, projects } from "../projects/mod.ts";
import {
  type Committed,
  commitVersioned,
  commitWithRetries,
  keys,
  readRecord,
  RecordType,
  Table,
  type Versioned,
} from "../core/store/mod.ts";
import { type DeploymentRecord, deploymentRecord, moveDeployment } from "./deployment.ts";
import type { Moment } from "./deployment_event.ts";
import {
  allLabels,
  clearLabels,
  type HostChange,
  ownLabels,
  pointLabels,
  readLabel,
  StaleDecisionError,
} from "./host_labels.ts";
import { closeUpload, openUpload, takesFiles } from "./open_uploads.ts";
import { afterRelease, shownInProduction } from "./production_change.ts";
import { withReplaced } from "./production_history.ts";
import {
  endRelease,
  type ReleaseRecord,
  releases,
  runningRelease,
  shareOf,
} from "./release_record.ts";
import type { Lease, Operation, RecordKey, RecordStore } from "../../store/mod.ts";

const ownerRecord = z.object({ projectId: z.string(), workspaceId: z.string() });
export type DeploymentOwner = z.infer<typeof ownerRecord>;

export interface Activated {
  readonly deployment: DeploymentRecord;
  readonly project: ProjectRecord;
  readonly hosts: readonly HostChange[];
}

/** A rolling release and its effect on production. */
export interface Released extends Activated {
  readonly release: ReleaseRecord;
}

/** Returns what the production host serves in the current state of a release. */
function productionHost({ name }: ProjectRecord, release: ReleaseRecord): HostChange {
  const { id: releaseId, from, to, state } = release;
  if (state === "FINISHED") return { label: name, deploymentId: to };
  return {
    label: name,
    deploymentId: from,
    ...(state === "RUNNING"
      ? { rolling: { releaseId, deploymentId: to, share: shareOf(release) } }
      : {}),
  };
}

/**
 * An addition to the commit that stores a new deployment. `add` is called for each attempt. If it
 * throws, the deployment is not stored.
 */
export interface CreatedWith {
  /** The records whose versions `add` checks. */
  readonly contended: readonly RecordKey[];
  add(operation: Operation): Promise<void>;
}

type NoteMoment = (
  operation: Operation,
  moment: Moment,
  deployment: DeploymentRecord,
) => void;

/** The event to record for each final state of a deployment, regardless of the cause. */
const MOMENT_OF: Partial<Record<DeploymentRecord["status"], Moment>> = {
  FAILED: "failed",
  STOPPED: "stopped",
};

const deployments = new RecordType({
  root: keys.allDeployments(),
  schema: deploymentRecord,
  parts: ({ projectId, id }) => [projectId, id],
});

interface UpdateOptions {
  /** The event to record if the status changes. By default, the status determines the event. */
  readonly moment?: Moment | undefined;
  readonly lease?: Lease | undefined;
}

export class DeploymentStore extends Table<DeploymentRecord, readonly [string, string]> {
  readonly #note: NoteMoment;

  constructor(kv: RecordStore, note: NoteMoment = () => {}) {
    super(kv, deployments);
    this.#note = note;
  }

  /**
   * Stores a new deployment and reserves its unique label. Returns `false` if the label is taken.
   */
  async create(deployment: DeploymentRecord, also?: CreatedWith): Promise<boolean> {
    const { id, projectId, workspaceId } = deployment;
    const host = keys.host(deployment.uniqueLabel);
    const projectKey = keys.project(workspaceId, projectId);
    const contended = [host, ...also?.contended ?? []];
    return await commitWithRetries(this.kv, contended, async (operation) => {
      const added = this.kv.atomic();
      const [taken, project] = await Promise.all([
        this.kv.get(host),
        this.#readProject({ workspaceId, projectId }),
        also?.add(added),
      ]);
      if (taken.versionstamp !== null) return false;
      if (project === undefined) throw new StaleDecisionError("The project was deleted");
      operation.include(added)
        .check({ key: host, versionstamp: null })
        .check({ key: projectKey, versionstamp: project.versionstamp })
        .set(keys.deploymentOwner(id), { projectId, workspaceId })
        .set(host, { projectId, deploymentId: null });
      deployments.insert(operation, deployment);
      if (deployment.source === "upload") openUpload(operation, deployment);
      this.#note(operation, "started", deployment);
      return true;
    }, { checked: [projectKey] });
  }

  async owner(id: string): Promise<DeploymentOwner | undefined> {
    return (await readRecord(this.kv, keys.deploymentOwner(id), ownerRecord))?.value;
  }

  hosts(): AsyncGenerator<{ readonly label: string; readonly host: HostRecord }> {
    return allLabels(this.kv);
  }

  async findHost(label: string): Promise<HostRecord | undefined> {
    return (await readLabel(this.kv, label))?.value;
  }

  /**
   * Changes a deployment. Returns `undefined` if it no longer exists. Records the event for a new
   * status in the same commit. The caller must raise the event.
   */
  override async update(
    place: readonly [string, string],
    change: (deployment: DeploymentRecord) => DeploymentRecord,
    { moment, lease }: UpdateOptions = {},
  ): Promise<DeploymentRecord | undefined> {
    return await super.update(place, change, {
      lease,
      also: (operation, after, before) => {
        if (!takesFiles(after)) closeUpload(operation, after);
        if (after.status === before.status) return;
        const noted = moment ?? MOMENT_OF[after.status];
        if (noted !== undefined) this.#note(operation, noted, after);
      },
    });
  }

  /**
   * Serves a deployment at its own label, its branch's label and production's label. A promoted
   * preview's branch label is not changed.
   *
   * @throws {StaleDecisionError}
   */
  activate(deployment: DeploymentRecord, now: number): Promise<Committed<Activated>> {
    const { projectId, id, workspaceId, environment } = deployment;
    const contended = [keys.deployment(projectId, id), keys.project(workspaceId, projectId)];
    const owner = keys.environmentByName(projectId, environment);
    const checked = isOwnEnvironment(environment) ? [owner] : [];
    return commitVersioned(this.kv, contended, async (operation) => {
      const [current, project] = await Promise.all([
        this.read(deployment.projectId, deployment.id),
        this.#readProject(deployment),
      ]);
      if (current === undefined || project === undefined) {
        throw new StaleDecisionError("The deployment or project was deleted");
      }
      for (const key of checked) {
        const { versionstamp } = await this.kv.get(key);
        if (versionstamp === null) {
          throw new StaleDecisionError(`The environment "${environment}" was deleted`);
        }
        operation.check({ key, versionstamp });
      }
      const live = moveDeployment(current.value, "LIVE", { now });
      const production = live.environment === ENVIRONMENT_PRODUCTION;
      const latest = latestLabel(project.value, live.environment);
      const labels = [...ownLabels(live), latest];
      const changed = production ? shownInProduction(project.value, live.id, now) : project.value;
      this.#write(operation, current, live);
      this.#note(operation, "live", live);
      projects.replace(operation, project, changed);
      if (production) await this.#endRelease(operation, live, now);
      const hosts = labels.map((label) => ({ label, deploymentId: live.id }));
      await pointLabels(this.kv, operation, { hosts, projectId: live.projectId });
      return { deployment: live, project: changed, hosts };
    }, { checked });
  }

  /** Serves a deployment only at its own URL. @throws {StaleDecisionError} */
  stage(deployment: DeploymentRecord, now: number): Promise<Committed<DeploymentRecord>> {
    const { projectId, id } = deployment;
    return commitVersioned(this.kv, [keys.deployment(projectId, id)], async (operation) => {
      const current = await this.read(projectId, id);
      if (current?.value.status !== "DEPLOYING") {
        throw new StaleDecisionError("The deployment was stopped or deleted");
      }
      const staged: DeploymentRecord = {
        ...current.value,
        checks: { state: "RUNNING", results: [] },
        updatedAt: now,
      };
      this.#write(operation, current, staged);
      const hosts = [{ label: staged.uniqueLabel, deploymentId: id }];
      await pointLabels(this.kv, operation, { hosts, projectId });
      return staged;
    });
  }

  /**
   * Points production to another deployment, according to a planned history. @throws
   * {StaleDecisionError}
   */
  rollBack(
    project: ProjectRecord,
    plan: { readonly undo: string; readonly to: string; readonly history: string[] },
    now: number,
  ): Promise<Committed<Activated & { readonly undone: DeploymentRecord }>> {
    const contended = [
      keys.deployment(project.id, plan.undo),
      keys.deployment(project.id, plan.to),
      keys.project(project.workspaceId, project.id),
    ];
    return commitVersioned(this.kv, contended, async (operation) => {
      const [undo, target, current] = await Promise.all([
        this.read(project.id, plan.undo),
        this.read(project.id, plan.to),
        this.#readProject({ workspaceId: project.workspaceId, projectId: project.id }),
      ]);
      const same = current?.value.productionHistory.join() === project.productionHistory.join();
      if (undo === undefined || target === undefined || current === undefined || !same) {
        throw new StaleDecisionError("Production has just changed");
      }
      const undone = moveDeployment(undo.value, "ROLLED_BACK", { now });
      const live = target.value.status === "LIVE"
        ? target.value
        : moveDeployment(target.value, "LIVE", { now });
      const changed = {
        ...current.value,
        productionHistory: plan.history,
        productionPast: withReplaced(current.value.productionPast, {
          replaced: plan.undo,
          live: live.id,
          now,
        }),
      };
      const hosts = [{ label: changed.name, deploymentId: live.id }];
      this.#write(operation, undo, undone);
      this.#note(operation, "rolled_back", undone);
      this.#write(operation, target, live);
      projects.replace(operation, current, changed);
      await this.#endRelease(operation, live, now);
      await pointLabels(this.kv, operation, { hosts, projectId: changed.id });
      return { deployment: live, project: changed, hosts, undone };
    });
  }

  async runningRelease(projectId: string): Promise<ReleaseRecord | undefined> {
    return (await runningRelease(this.kv, projectId))?.value;
  }

  /** Serves a deployment to a share of production's visitors. @throws {StaleDecisionError} */
  beginRelease(release: ReleaseRecord, now: number): Promise<Committed<Released>> {
    const { projectId, workspaceId, to } = release;
    const contended = [keys.deployment(projectId, to), keys.project(workspaceId, projectId)];
    return commitVersioned(this.kv, contended, async (operation) => {
      const [target, project, running] = await Promise.all([
        this.read(projectId, to),
        this.#readProject(release),
        runningRelease(this.kv, projectId),
      ]);
      if (target === undefined || project?.value.productionHistory.at(-1) !== release.from) {
        throw new StaleDecisionError("Production has just changed. Try again");
      }
      if (running !== undefined) {
        throw new StaleDecisionError("A rolling release is under way: finish or withdraw it first");
      }
      const { status } = target.value;
      const live = status === "LIVE" ? target.value : moveDeployment(target.value, "LIVE", { now });
      const own = status === "DEPLOYING" ? ownLabels(live) : [];
      if (live !== target.value) {
        this.#write(operation, target, live);
        this.#note(operation, "live", live);
      }
      operation.check({
        key: keys.project(workspaceId, projectId),
        versionstamp: project.versionstamp,
      });
      releases.insert(operation, release);
      const hosts = [
        ...own.map((label) => ({ label, deploymentId: to })),
        productionHost(project.value, release),
      ];
      await pointLabels(this.kv, operation, { hosts, projectId });
      return { release, deployment: live, project: project.value, hosts };
    });
  }

  /**
   * Changes a rolling release, and what production serves.
   *
   * @throws {StaleDecisionError} if there is no release
   */
  changeRelease(
    { projectId, workspaceId }: DeploymentOwner,
    change: (running: ReleaseRecord) => ReleaseRecord,
    now: number,
  ): Promise<Committed<Released>> {
    const contended = [keys.runningRelease(projectId), keys.project(workspaceId, projectId)];
    return commitVersioned(this.kv, contended, async (operation) => {
      const running = await runningRelease(this.kv, projectId);
      const project = await this.#readProject({ projectId, workspaceId });
      const target = running && await this.read(projectId, running.value.to);
      if (running === undefined || project === undefined || target === undefined) {
        throw new StaleDecisionError("No rolling release is under way");
      }
      const release = change(running.value);
      const isBack = release.state === "WITHDRAWN";
      const changed = afterRelease(project.value, release, now);
      const deployment = isBack
        ? moveDeployment(target.value, "ROLLED_BACK", { now, error: release.reason ?? "" })
        : target.value;
      if (isBack) {
        this.#write(operation, target, deployment);
        this.#note(operation, "withdrawn", deployment);
      }
      releases.replace(operation, running, release);
      projects.replace(operation, project, changed);
      const hosts = [productionHost(changed, release)];
      await pointLabels(this.kv, operation, { hosts, projectId });
      return { release, deployment, project: changed, hosts };
    });
  }

  #endRelease(operation: Operation, { id, projectId }: DeploymentRecord, now: number) {
    const reason = `Production serves deployment ${id} instead`;
    return endRelease(this.kv, operation, { projectId, now, state: "ENDED", reason });
  }

  /** Empties the host labels that still serve the deployment. */
  async clearHosts(deployment: DeploymentRecord, lease?: Lease): Promise<void> {
    await clearLabels(this.kv, deployment, lease);
  }

  #readProject(owner: DeploymentOwner): Promise<Versioned<ProjectRecord> | undefined> {
    return readRecord(this.kv, keys.project(owner.workspaceId, owner.projectId), projects.schema);
  }

  #write(
    operation: Operation,
    old: Versioned<DeploymentRecord>,
    next: DeploymentRecord,
  ): void {
    deployments.replace(operation, old, next);
    if (!takesFiles(next)) closeUpload(operation, next);
  }
}
