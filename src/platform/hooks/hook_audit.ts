/**
 * Audit log entries for deploy hooks. A hook has no user, because its URL is the credential.
 *
 * @module
 */
import { type AuditedChange, type AuditLog, HOOK_REFUSED, HOOK_STOPPED } from "../audit/mod.ts";
import { RateWindow } from "../core/access/mod.ts";
import type { HookRecord } from "./hook.ts";

export interface HookVisit {
  readonly address: string;
  readonly requestId: string;
}

interface BegunDeployment {
  readonly id: string;
  readonly environment: string;
  readonly branch: string;
  readonly commitSha: string | null;
}

interface Recorded extends Partial<Pick<AuditedChange, "target" | "changes">> {
  readonly action: string;
  readonly branch?: string;
}

/**
 * Maximum number of refused calls to record per hook and hour. More would displace entries about
 * people.
 */
const MAX_REFUSED = 10;
const HOUR_MS = 60 * 60 * 1000;

export class HookAudit {
  readonly #audit: Pick<AuditLog, "record">;
  readonly #refusals: RateWindow;

  constructor({ audit, now }: {
    readonly audit: Pick<AuditLog, "record">;
    readonly now: () => number;
  }) {
    this.#audit = audit;
    this.#refusals = new RateWindow({ limit: MAX_REFUSED, windowMs: HOUR_MS }, now);
  }

  async deployed(
    hook: HookRecord,
    visit: HookVisit,
    { id, environment, branch, commitSha }: BegunDeployment,
  ): Promise<void> {
    await this.#record(hook, visit, {
      action: "triggerHook",
      branch,
      target: { id, name: environment },
      changes: [
        { field: "branch", from: null, to: branch },
        { field: "commitSha", from: null, to: commitSha },
      ],
    });
  }

  async stopped(hook: HookRecord, visit: HookVisit, branch: string): Promise<void> {
    await this.#record(hook, visit, {
      action: HOOK_STOPPED,
      branch,
      target: { id: null, name: branch },
    });
  }

  /** Records a call without the required signature. */
  async refused(hook: HookRecord, visit: HookVisit): Promise<void> {
    if (this.#refusals.take(hook.id) > 0) return;
    await this.#record(hook, visit, { action: HOOK_REFUSED });
  }

  async #record(
    { workspaceId, projectId, id, name }: HookRecord,
    visit: HookVisit,
    { action, branch, target, changes = [] }: Recorded,
  ): Promise<void> {
    await this.#audit.record({
      workspaceId,
      action,
      project: projectId,
      user: null,
      ...visit,
      target: target ?? { id, name },
      changes,
      path: `/v1/deploy-hooks/${id}${branch === undefined ? "" : ` ${branch}`}`,
      credential: { type: "hook", id, name },
    });
  }
}
