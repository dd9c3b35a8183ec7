/**
 * Deployments in Deno KV. One atomic commit makes a deployment visible: it
 * changes the state, the host labels and the project's history.
 *
 * @module
 */
import * as z from "zod";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { latestLabel } from "../environments/mod.ts";
import { type HostRecord, type ProjectRecord, projectRecord } from "../projects/mod.ts";
import {
  type Committed,
  commitWithRetries,
  keys,
  type Page,
  readAll,
  readPage,
  readRecord,
  type Versioned,
} from "../core/store/mod.ts";
import { type DeploymentRecord, deploymentRecord, moveDeployment } from "./deployment.ts";
import type { Moment } from "./deployment_event.ts";
import {
  allLabels,
  clearLabels,
  type HostChange,
  pointLabels,
  readLabel,
  StaleDecisionError,
} from "./host_labels.ts";
import { closeUpload, openUpload, takesFiles } from "./open_uploads.ts";
import { withLive } from "./production_history.ts";
import type { Lease, Operation, RecordKey, RecordStore } from "../../store/mod.ts";

const ownerRecord = z.object({ projectId: z.string(), workspaceId: z.string() });
export type DeploymentOwner = z.infer<typeof ownerRecord>;

export interface Activated {
  readonly deployment: DeploymentRecord;
  readonly project: ProjectRecord;
  readonly hosts: readonly HostChange[];
}

/**
 * An addition to the commit that stores a new deployment; `add` is called for
 * each attempt. If it throws, the deployment is not stored.
 */
export interface CreatedWith {
  /** The records that it checks. */
  readonly contended: readonly RecordKey[];
  add(operation: Operation): Promise<void>;
}

/** Adds the note of an event to the commit of its cause. */
export type NoteMoment = (
  operation: Operation,
  moment: Moment,
  deployment: DeploymentRecord,
) => void;

/** The moments of states that end a deployment, whatever the cause. */
const MOMENT_OF: Partial<Record<DeploymentRecord["status"], Moment>> = {
  FAILED: "failed",
  STOPPED: "stopped",
};

interface UpdateOptions {
  /** Noted where the status changes; that of the status where missing. */
  readonly moment?: Moment | undefined;
  readonly lease?: Lease | undefined;
}

export class DeploymentStore {
  readonly #kv: RecordStore;
  readonly #note: NoteMoment;

  constructor(kv: RecordStore, note: NoteMoment = () => {}) {
    this.#kv = kv;
    this.#note = note;
  }

  /** Stores a new deployment and reserves its unique label; false where that is taken. */
  async create(deployment: DeploymentRecord, also?: CreatedWith): Promise<boolean> {
    const { id, projectId, workspaceId } = deployment;
    const host = keys.host(deployment.uniqueLabel);
    const projectKey = keys.project(workspaceId, projectId);
    const contended = [host, ...also?.contended ?? []];
    const { result } = await commitWithRetries(this.#kv, contended, async () => {
      const operation = this.#kv.atomic();
      const [taken, project] = await Promise.all([
        this.#kv.get(host),
        this.#readProject({ workspaceId, projectId }),
        also?.add(operation),
      ]);
      if (taken.versionstamp !== null) return { operation: this.#kv.atomic(), result: false };
      if (project === undefined) throw new StaleDecisionError("Project was deleted meanwhile");
      operation
        .check({ key: host, versionstamp: null })
        .check({ key: projectKey, versionstamp: project.versionstamp })
        .set(keys.deployment(projectId, id), deployment)
        .set(keys.deploymentOwner(id), { projectId, workspaceId })
        .set(host, { projectId, deploymentId: null });
      if (deployment.source === "upload") openUpload(operation, deployment);
      this.#note(operation, "started", deployment);
      return { operation, result: true };
    }, { checked: [projectKey] });
    return result;
  }

  async owner(id: string): Promise<DeploymentOwner | undefined> {
    return (await readRecord(this.#kv, keys.deploymentOwner(id), ownerRecord))?.value;
  }

  async find(projectId: string, id: string): Promise<DeploymentRecord | undefined> {
    return (await this.#read(projectId, id))?.value;
  }

  list(
    projectId: string,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<Page<DeploymentRecord>> {
    return readPage(this.#kv, keys.deployments(projectId), { schema: deploymentRecord, ...page });
  }

  async *all(): AsyncGenerator<DeploymentRecord> {
    for await (const { value } of readAll(this.#kv, keys.allDeployments(), deploymentRecord)) {
      yield value;
    }
  }

  async *of(projectId: string): AsyncGenerator<DeploymentRecord> {
    const prefix = keys.deployments(projectId);
    for await (const { value } of readAll(this.#kv, prefix, deploymentRecord)) yield value;
  }

  hosts(): AsyncGenerator<{ readonly label: string; readonly host: HostRecord }> {
    return allLabels(this.#kv);
  }

  async findHost(label: string): Promise<HostRecord | undefined> {
    return (await readLabel(this.#kv, label))?.value;
  }

  /**
   * Changes one deployment; `undefined` if it is gone. If its status changes,
   * the moment is noted in the same commit, and the caller raises it.
   */
  async update(
    projectId: string,
    id: string,
    change: (deployment: DeploymentRecord) => DeploymentRecord,
    { moment, lease }: UpdateOptions = {},
  ): Promise<DeploymentRecord | undefined> {
    const { result } = await commitWithRetries(
      this.#kv,
      [keys.deployment(projectId, id)],
      async () => {
        const current = await this.#read(projectId, id);
        const operation = this.#kv.atomic();
        if (current === undefined) return { operation, result: undefined };
        const changed = change(current.value);
        this.#write(operation, current, changed);
        if (changed.status !== current.value.status) {
          const noted = moment ?? MOMENT_OF[changed.status];
          if (noted !== undefined) this.#note(operation, noted, changed);
        }
        return { operation, result: changed };
      },
      { lease },
    );
    return result;
  }

  /**
   * Makes a deployment live: on its unique and branch labels and, for
   * production, on the project's own. The branch label of a promoted preview
   * keeps showing the preview.
   *
   * @throws {StaleDecisionError} if deployment or project is gone.
   */
  activate(deployment: DeploymentRecord, now: number): Promise<Committed<Activated>> {
    const { projectId, id, workspaceId } = deployment;
    const contended = [keys.deployment(projectId, id), keys.project(workspaceId, projectId)];
    return commitWithRetries(this.#kv, contended, async () => {
      const [current, project] = await Promise.all([
        this.#read(deployment.projectId, deployment.id),
        this.#readProject(deployment),
      ]);
      if (current === undefined || project === undefined) {
        throw new StaleDecisionError("Deployment or project was deleted meanwhile");
      }
      const live = moveDeployment(current.value, "LIVE", { now });
      const production = live.environment === ENVIRONMENT_PRODUCTION;
      const latest = latestLabel(project.value, live.environment);
      const branch = live.promotedFrom === null ? [live.branchLabel] : [];
      const labels = [live.uniqueLabel, ...branch, latest];
      const changed: ProjectRecord = {
        ...project.value,
        productionHistory: production
          ? withLive(project.value.productionHistory, live.id)
          : project.value.productionHistory,
      };
      const operation = this.#kv.atomic();
      this.#write(operation, current, live);
      this.#note(operation, "live", live);
      this.#writeProject(operation, project, changed);
      const hosts = labels.map((label) => ({ label, deploymentId: live.id }));
      await pointLabels(this.#kv, operation, { hosts, projectId: live.projectId });
      return { operation, result: { deployment: live, project: changed, hosts } };
    });
  }

  /**
   * Points production at another deployment, with the history that was planned.
   *
   * @throws {StaleDecisionError} if the history has changed since.
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
    return commitWithRetries(this.#kv, contended, async () => {
      const [undo, target, current] = await Promise.all([
        this.#read(project.id, plan.undo),
        this.#read(project.id, plan.to),
        this.#readProject({ workspaceId: project.workspaceId, projectId: project.id }),
      ]);
      const same = current?.value.productionHistory.join() === project.productionHistory.join();
      if (undo === undefined || target === undefined || current === undefined || !same) {
        throw new StaleDecisionError("Production changed meanwhile");
      }
      const undone = moveDeployment(undo.value, "ROLLED_BACK", { now });
      const live = target.value.status === "LIVE"
        ? target.value
        : moveDeployment(target.value, "LIVE", { now });
      const changed = { ...current.value, productionHistory: plan.history };
      const hosts = [{ label: changed.name, deploymentId: live.id }];
      const operation = this.#kv.atomic();
      this.#write(operation, undo, undone);
      this.#note(operation, "rolled_back", undone);
      this.#write(operation, target, live);
      this.#writeProject(operation, current, changed);
      await pointLabels(this.#kv, operation, { hosts, projectId: changed.id });
      return { operation, result: { deployment: live, project: changed, hosts, undone } };
    });
  }

  /** Empties the host labels that still show a deployment. */
  async clearHosts(deployment: DeploymentRecord, lease?: Lease): Promise<void> {
    await clearLabels(this.#kv, deployment, lease);
  }

  #read(projectId: string, id: string): Promise<Versioned<DeploymentRecord> | undefined> {
    return readRecord(this.#kv, keys.deployment(projectId, id), deploymentRecord);
  }

  #readProject(owner: DeploymentOwner): Promise<Versioned<ProjectRecord> | undefined> {
    return readRecord(this.#kv, keys.project(owner.workspaceId, owner.projectId), projectRecord);
  }

  #write(
    operation: Operation,
    old: Versioned<DeploymentRecord>,
    next: DeploymentRecord,
  ): void {
    const key = keys.deployment(next.projectId, next.id);
    operation.check({ key, versionstamp: old.versionstamp }).set(key, next);
    if (!takesFiles(next)) closeUpload(operation, next);
  }

  #writeProject(
    operation: Operation,
    old: Versioned<ProjectRecord>,
    next: ProjectRecord,
  ): void {
    const key = keys.project(next.workspaceId, next.id);
    operation.check({ key, versionstamp: old.versionstamp }).set(key, next);
  }
}
