/**
 * Builds and their queue in Deno KV. A build is stored in the same commit as its deployment. If
 * triggers compete, a guard record per branch decides which one succeeds.
 *
 * @module
 */
import * as z from "zod";
import { isDeploymentUnderWay } from "../../../contract/deployments.ts";
import { ENVIRONMENT_PRODUCTION } from "../../../contract/environment_names.ts";
import { type DeploymentRecord, deploymentRecord } from "../../deployments/mod.ts";
import type { BuildRunnerName } from "../logs/shared_build_logs.ts";
import { hostRecord } from "../../projects/mod.ts";
import {
  commitWithRetries,
  keys,
  readAll,
  readRecord,
  RecordType,
  Table,
} from "../../core/store/mod.ts";
import {
  type Admission,
  admit,
  type BranchBuilds,
  branchBuilds,
  type BuildRecord,
  buildRecord,
  isUnderWay,
  type KnownCommit,
} from "./build_record.ts";
import type { Draft, Operation, RecordKey, RecordStore } from "../../../store/mod.ts";

const builds = new RecordType({
  root: keys.allBuilds(),
  schema: buildRecord,
  parts: ({ projectId, id }) => [projectId, id],
  indices: {
    ticket: {
      entries: (build) => isUnderWay(build) ? [keys.buildTicket(build.place)] : [],
      holds: ["projectId", "id"],
      unique: true,
    },
  },
});

const ticketRecord = z.object({ projectId: z.string(), id: z.string() });
const commitRecord = z.object({ id: z.string() });

/**
 * A build was not admitted, because its commit is already deployed or its branch has another build.
 */
export class NotAdmittedError extends Error {
  override readonly name = "NotAdmittedError";
  constructor(readonly admission: Exclude<Admission, { readonly type: "create" }>) {
    super(`A build was not admitted: ${admission.type}`);
  }
}

type Run = Pick<BuildRecord, "runner">;

const isRunBy = (current: Run, known: Run): boolean =>
  (current.runner ?? null) === (known.runner ?? null);

export function buildsIn(
  changed: readonly RecordKey[],
): { readonly projectId: string; readonly id: string }[] {
  const names = [keys.allBuilds()[0], keys.allDeployments()[0]];
  return changed.filter((key) => names.includes(key[0]!) && key.length === 3)
    .map(([, projectId, id]) => ({ projectId: String(projectId), id: String(id) }));
}

export class BuildStore extends Table<BuildRecord, readonly [string, string], "ticket"> {
  #lastPlace = 0;

  readonly #shift: number;

  /** @param shift from 0 to 999, so nodes with a shared store use different positions. */
  constructor(kv: RecordStore, shift: number = 0) {
    super(kv, builds);
    this.#shift = shift;
  }

  /** Reads the highest position in the queue. Call this before the first build. */
  async open(): Promise<void> {
    for await (
      const { key } of this.kv.list({ prefix: keys.buildQueue() }, { reverse: true, limit: 1 })
    ) {
      this.#lastPlace = Number(key[1]);
    }
  }

  nextPlace(now: number): number {
    this.#lastPlace = Math.max(this.#lastPlace + 1, now * 1000 + this.#shift);
    return this.#lastPlace;
  }

  async admission(
    wanted: Pick<BuildRecord, "projectId" | "branch" | "commitSha" | "environment">,
    force: boolean,
  ): Promise<Admission> {
    return (await this.#decide(wanted, force)).admission;
  }

  /** Returns the guard record that every build of a branch changes. */
  guardOf({ projectId, branch }: Pick<BuildRecord, "projectId" | "branch">): RecordKey {
    return keys.branchBuild(projectId, branch);
  }

  /**
   * Adds a build to its deployment's commit, which fails if the build's position is taken.
   *
   * @throws {NotAdmittedError}
   */
  async storeWith(
    operation: Operation,
    build: BuildRecord,
    force: boolean,
  ): Promise<void> {
    const { id, projectId, commitSha } = build;
    const { admission, guard, active } = await this.#decide(build, force);
    if (admission.type !== "create") throw new NotAdmittedError(admission);
    operation.check(guard)
      .set(this.guardOf(build), { active: [...active, { id, commitSha }] })
      .set(keys.builtCommit(projectId, build), { id });
    builds.insert(operation, build);
  }

  /** Yields all waiting and running builds, oldest first. */
  async *queue(): AsyncGenerator<BuildRecord> {
    for await (const { key, value } of readAll(this.kv, keys.buildQueue(), ticketRecord)) {
      const build = await this.find(value.projectId, value.id);
      if (build === undefined) await this.kv.delete(key);
      else yield build;
    }
  }

  /**
   * Changes a build. Returns `undefined` if the build has been removed, has finished, or is run by
   * another process.
   */
  async move(
    build: Pick<BuildRecord, "projectId" | "id" | "runner">,
    change: Partial<Pick<BuildRecord, "state" | "attempts" | "startedAt" | "runner">>,
  ): Promise<BuildRecord | undefined> {
    const key = keys.build(build.projectId, build.id);
    return await commitWithRetries(this.kv, [key], async (operation) => {
      const current = await this.read(build.projectId, build.id);
      if (current === undefined || !isUnderWay(current.value) || !isRunBy(current.value, build)) {
        return undefined;
      }
      const result = { ...current.value, ...change };
      builds.replace(operation, current, result);
      return result;
    });
  }

  /** Marks a build as finished and frees its branch, unless another process runs the build. */
  async finish(
    build: BuildRecord,
    end: Pick<BuildRecord, "error" | "finishedAt"> & {
      readonly state: "SUCCEEDED" | "FAILED" | "CANCELLED";
    },
  ): Promise<void> {
    const { projectId, id, branch, place } = build;
    const [key, guardKey] = [keys.build(projectId, id), keys.branchBuild(projectId, branch)];
    await commitWithRetries(this.kv, [key, guardKey], async (operation) => {
      const [current, guard] = await Promise.all([
        this.read(projectId, id),
        readRecord(this.kv, guardKey, branchBuilds),
      ]);
      const isOthers = current !== undefined && isUnderWay(current.value) &&
        !isRunBy(current.value, build);
      if (isOthers) return undefined;
      if (current !== undefined && isUnderWay(current.value)) {
        builds.replace(operation, current, { ...current.value, ...end });
      } else operation.delete(keys.buildTicket(place));
      if (guard !== undefined) {
        const active = guard.value.active.filter((each) => each.id !== id);
        operation.check({ key: guardKey, versionstamp: guard.versionstamp });
        if (active.length === 0) operation.delete(guardKey);
        else operation.set(guardKey, { active });
      }
    });
  }

  /**
   * Returns the process that runs or last ran a build. Returns `undefined` if no process has run
   * the build, and on a single node.
   */
  async runnerOf(projectId: string, id: string): Promise<BuildRunnerName | undefined> {
    const build = await this.find(projectId, id);
    if (typeof build?.runner !== "string") return undefined;
    const isRunning = build.state === "RUNNING";
    return { instance: build.runner, node: build.node ?? "unknown", isRunning };
  }

  async removeWith(
    operation: Draft,
    { projectId, id, branch, commitSha, environment }: DeploymentRecord,
  ): Promise<void> {
    operation.delete(keys.buildLog(projectId, id));
    const build = await this.find(projectId, id);
    if (build !== undefined) builds.drop(operation, build);
    if (commitSha === null) return;
    const key = keys.builtCommit(projectId, { branch, commitSha, environment });
    const built = await readRecord(this.kv, key, commitRecord);
    if (built?.value.id !== id) return;
    operation.check({ key, versionstamp: built.versionstamp }).delete(key);
  }

  async removeProject(projectId: string): Promise<void> {
    for await (const { place } of this.all(projectId)) {
      await this.kv.delete(keys.buildTicket(place));
    }
    const prefixes = [
      keys.builds(projectId),
      keys.buildLogs(projectId),
      keys.branchBuilds(projectId),
      keys.builtCommits(projectId),
    ];
    for (const prefix of prefixes) {
      for await (const { key } of this.kv.list({ prefix })) await this.kv.delete(key);
    }
  }

  async #decide(
    wanted: Pick<BuildRecord, "projectId" | "branch" | "commitSha" | "environment">,
    force: boolean,
  ) {
    const { projectId, branch } = wanted;
    const guardKey = keys.branchBuild(projectId, branch);
    const [guard, built] = await Promise.all([
      readRecord(this.kv, guardKey, branchBuilds),
      readRecord(this.kv, keys.builtCommit(projectId, wanted), commitRecord),
    ]);
    const active = await this.#stillUnderWay(projectId, guard?.value.active ?? []);
    const known = await this.#knownCommit(wanted, built?.value.id);
    return {
      admission: admit({ active, known }, { commitSha: wanted.commitSha, force }),
      guard: { key: guardKey, versionstamp: guard?.versionstamp ?? null },
      active,
    };
  }

  /**
   * Omits builds whose deployments have ended, because such builds are cleaned up shortly
   * afterwards.
   */
  async #stillUnderWay(
    projectId: string,
    active: BranchBuilds["active"],
  ): Promise<BranchBuilds["active"]> {
    const deployments = await Promise.all(
      active.map(({ id }) => this.#findDeployment(projectId, id)),
    );
    return active.filter((_, index) => {
      const deployment = deployments[index];
      return deployment !== undefined && isDeploymentUnderWay(deployment.status);
    });
  }

  async #knownCommit(
    wanted: Pick<BuildRecord, "projectId" | "branch" | "commitSha" | "environment">,
    latestId: string | undefined,
  ): Promise<KnownCommit | undefined> {
    const { projectId } = wanted;
    if (latestId === undefined) return undefined;
    const latest = await this.#findDeployment(projectId, latestId);
    if (latest === undefined) return undefined;
    const label = wanted.environment === ENVIRONMENT_PRODUCTION
      ? latest.projectName
      : latest.branchLabel;
    // The host is read after the deployment, so the labels of a LIVE deployment already point to
    // it.
    const host = await readRecord(this.kv, keys.host(label), hostRecord);
    const shownId = host?.value.deploymentId ?? latest.id;
    const shown = shownId === latest.id ? latest : await this.#findDeployment(projectId, shownId);
    if (shown !== undefined && shown.source === "git" && isSameCommit(shown, wanted)) {
      return { id: shown.id, status: shown.status, isShown: shownId === host?.value.deploymentId };
    }
    return { id: latest.id, status: latest.status, isShown: false };
  }

  async #findDeployment(
    projectId: string,
    id: string,
  ): Promise<DeploymentRecord | undefined> {
    return (await readRecord(this.kv, keys.deployment(projectId, id), deploymentRecord))?.value;
  }
}

function isSameCommit(
  one: Pick<DeploymentRecord, "branch" | "commitSha" | "environment">,
  other: Pick<BuildRecord, "branch" | "commitSha" | "environment">,
): boolean {
  return one.branch === other.branch && one.commitSha === other.commitSha &&
    one.environment === other.environment;
}
