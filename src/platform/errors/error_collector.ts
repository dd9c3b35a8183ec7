/** Stores failures, and reports new error groups. @module */
import pMap from "p-map";
import type { Clock } from "../../lib/clock.ts";
import { formatCount } from "../../lib/format.ts";
import type { RaisedEvent, RaiseEvent } from "../core/events/mod.ts";
import type { DeploymentRecord, DeploymentStore } from "../deployments/mod.ts";
import { type ErrorGroup, mergeGroups } from "./error_group.ts";
import type { ErrorStore } from "./error_store.ts";
import type { ErrorTable } from "./error_table.ts";

/** Maximum number of a project's error groups to write per round, most frequent first. */
const MAX_AT_ONCE = 100;
/** Maximum number of concurrent writes. The limit gives other writers a turn. */
const WRITERS = 8;
/** How long to wait for an exception's lines, and for a request's exception, in milliseconds. */
const SETTLE_MS = 2000;
/**
 * Maximum number of events for new error groups per project in an hour. More would drown out the
 * project's other events.
 */
const MAX_EVENTS = 10;
const HOUR_MS = 60 * 60 * 1000;

interface ErrorCollectorOptions {
  readonly table: Pick<ErrorTable, "take">;
  readonly store: Pick<ErrorStore, "add" | "trim">;
  readonly deployments: Pick<DeploymentStore, "find">;
  /** Returns the URL of an error group's page. */
  pageOf(deployment: DeploymentRecord, id: string): string;
  /** Called with an error group's new counts since the last call. Never waits. */
  onCounted?(projectId: string, group: ErrorGroup): void;
  readonly raiseEvent: RaiseEvent;
  readonly now: Clock;
  onTrouble(message: string): void;
}

export class ErrorCollector {
  /** Counts that have not been stored yet, by project and error group. */
  readonly #kept = new Map<string, Map<string, ErrorGroup>>();
  #events = { hour: NaN, byProject: new Map<string, number>() };
  #running: Promise<void> = Promise.resolve();

  readonly #options: ErrorCollectorOptions;

  constructor(options: ErrorCollectorOptions) {
    this.#options = options;
  }

  /** Writes all failures that are complete. Concurrent calls run one after the other. */
  save(settleMs = SETTLE_MS): Promise<void> {
    const saved = this.#running.then(() => this.#save(settleMs));
    this.#running = saved.catch(() => {});
    return saved;
  }

  forget(projectId: string): void {
    this.#kept.delete(projectId);
  }

  async #save(settleMs: number): Promise<void> {
    const { table, onTrouble, onCounted, now } = this.#options;
    const { projects, dropped } = table.take(now() - settleMs);
    let lost = dropped;
    for (const { projectId, groups } of projects) {
      for (const group of groups) onCounted?.(projectId, group);
      lost += this.#keep(projectId, groups);
    }
    if (lost > 0) {
      onTrouble(`Dropped ${formatCount(lost, "site error")}: more arrived than could be counted`);
    }
    for (const projectId of [...this.#kept.keys()]) await this.#write(projectId);
  }

  /** Keeps the counts of a project until they are stored. Returns how many it had to drop. */
  #keep(projectId: string, groups: readonly ErrorGroup[]): number {
    const kept = this.#kept.get(projectId) ?? new Map<string, ErrorGroup>();
    this.#kept.set(projectId, kept);
    let lost = 0;
    for (const group of [...groups].sort((a, b) => b.count - a.count)) {
      const known = kept.get(group.id);
      if (known !== undefined) kept.set(group.id, mergeGroups(known, group));
      else if (kept.size < MAX_AT_ONCE) kept.set(group.id, group);
      else lost += group.count;
    }
    return lost;
  }

  async #write(projectId: string): Promise<void> {
    const { store, raiseEvent } = this.#options;
    const kept = this.#kept.get(projectId);
    if (kept === undefined) return;
    let hasNew = false;
    await pMap([...kept], async ([id, group]) => {
      // The project may have been deleted in the meantime, along with all of its deployments.
      const deployment = await this.#options.deployments.find(projectId, group.broughtBy);
      if (deployment !== undefined) {
        const { isNew, event } = await store.add(
          projectId,
          group,
          (found) => this.#eventOf(deployment, found),
        );
        if (event !== undefined) await raiseEvent(event);
        hasNew ||= isNew;
      }
      kept.delete(id);
    }, { concurrency: WRITERS });
    this.#kept.delete(projectId);
    if (hasNew) await store.trim(projectId);
  }

  #eventOf(deployment: DeploymentRecord, group: ErrorGroup): RaisedEvent | undefined {
    const { id: deploymentId, projectId, projectName, workspaceId } = deployment;
    if (!this.#mayReport(projectId)) return undefined;
    return {
      event: "health.new_error",
      audience: { type: "workspace", workspaceId },
      data: {
        deploymentId,
        projectId,
        project: projectName,
        reason: group.title,
        url: this.#options.pageOf(deployment, group.id),
      },
      key: `${projectId}/error/${group.id}/${group.firstSeen}`,
    };
  }

  #mayReport(projectId: string): boolean {
    const hour = Math.floor(this.#options.now() / HOUR_MS);
    if (this.#events.hour !== hour) this.#events = { hour, byProject: new Map() };
    const count = this.#events.byProject.get(projectId) ?? 0;
    this.#events.byProject.set(projectId, count + 1);
    return count < MAX_EVENTS;
  }
}
