/**
 * Checks rolling releases. Each release continues to its next percentage of visitors, or is
 * withdrawn.
 *
 * @module
 */
import type { Release } from "../../contract/releases.ts";
import type { Clock } from "../../lib/clock.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { AuditLog } from "../audit/mod.ts";
import type { Nodes } from "../core/nodes/mod.ts";
import { keys } from "../core/store/mod.ts";
import type { DeploymentService, ReleaseRecord, ReleaseTable } from "../deployments/mod.ts";
import { addCounts, judgeRelease, NO_COUNTS, p95Of, type SideCounts } from "./judge_release.ts";
import type { ReleaseCounter, ReleaseCounts } from "./release_counts.ts";

interface ReleaseManagerParts {
  readonly table: ReleaseTable;
  readonly counter: ReleaseCounter;
  readonly rolling: DeploymentService["rolling"];
  /** Adds the edge's current counts. */
  collect(): Promise<void>;
  readonly nodes: Pick<Nodes, "during">;
  readonly audit: Pick<AuditLog, "record">;
  readonly now: Clock;
  onTrouble(message: string): void;
}

const FINISHED = "All steps passed";

/**
 * Returns the current step's counts for the new side, and the counts of the whole release for the
 * old side.
 */
function compared(release: ReleaseRecord, counts: ReleaseCounts) {
  const fresh = counts.get(release.steps[release.step]!)?.fresh ?? NO_COUNTS;
  const old = addCounts([...counts.values()].map((each) => each.old));
  return { old, fresh };
}

export class ReleaseManager {
  readonly #parts: ReleaseManagerParts;

  constructor(parts: ReleaseManagerParts) {
    this.#parts = parts;
  }

  /** Runs one round: writes this node's counts and, on the leading node, evaluates releases. */
  async round(): Promise<void> {
    const { counter, collect, nodes, table } = this.#parts;
    await collect();
    await counter.save();
    await nodes.during("health", async () => {
      for await (const release of table.allBy("running", keys.runningReleases())) {
        await this.#judge(release).catch((error) =>
          this.#parts.onTrouble(`Cannot evaluate release ${release.id}: ${error}`)
        );
      }
    });
  }

  async #judge(release: ReleaseRecord): Promise<void> {
    const { counter, rolling, now } = this.#parts;
    const counts = await counter.read(release.projectId, release.id);
    const reason = judgeRelease(compared(release, counts));
    if (reason !== undefined) {
      const { deployment } = await rolling.withdraw(release, reason);
      await this.#parts.audit.record({
        workspaceId: release.workspaceId,
        action: "withdrawRelease" satisfies keyof typeof endpoints,
        project: deployment.projectName,
        path: `/v1/projects/${deployment.projectName}/releases/withdraw`,
        user: null,
        credential: { type: "platform", id: release.id, name: "svc" },
        target: { id: deployment.id, name: deployment.projectName },
        changes: [{ field: "reason", from: null, to: reason }],
        address: "",
        requestId: null,
      });
      return;
    }
    const { everyMs, stepStartedAt, step, steps } = release;
    if (everyMs === null || now() < stepStartedAt + everyMs) return;
    const isLast = step === steps.length - 1;
    if (isLast && steps[step] === 100) await rolling.finish(release, FINISHED);
    else if (!isLast) await rolling.advance(release, release);
  }

  /** Returns a project's latest releases, newest first. */
  async list(projectId: string, limit: number): Promise<Release[]> {
    const { items } = await this.#parts.table.list(projectId, { limit, cursor: undefined });
    return await Promise.all(items.map((item) => this.toWire(item)));
  }

  async toWire(record: ReleaseRecord): Promise<Release> {
    const counts = await this.#parts.counter.read(record.projectId, record.id);
    const { old, fresh } = compared(record, counts);
    const { id, projectId, state, reason, steps, step, everyMs, from, to } = record;
    const { startedAt, stepStartedAt, endedAt } = record;
    const time = (moment: number) => new Date(moment).toISOString();
    return {
      id,
      projectId,
      state,
      reason,
      steps,
      share: steps[step]!,
      everySeconds: everyMs === null ? null : everyMs / 1000,
      old: sideToWire(from, old),
      new: sideToWire(to, fresh),
      startedAt: time(startedAt),
      nextAt: state === "RUNNING" && everyMs !== null ? time(stepStartedAt + everyMs) : null,
      endedAt: endedAt === null ? null : time(endedAt),
    };
  }
}

const sideToWire = (deploymentId: string, counts: SideCounts) => ({
  deploymentId,
  requests: counts.requests,
  errors: counts.errors,
  failures: counts.failures,
  p95: p95Of(counts),
});
