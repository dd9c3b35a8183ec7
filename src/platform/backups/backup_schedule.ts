/**
 * Creates backups when they are due, on one node. Stores each result, and notifies the platform's
 * owner when backups start to fail and when they work again.
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/error_message.ts";
import type { Lease } from "../../store/mod.ts";
import type { RaisedEvent, RaiseEvent } from "../core/events/mod.ts";
import type { Nodes } from "../core/nodes/mod.ts";
import type { PlatformLog } from "../core/log.ts";
import { type BackupRecord, type BackupStore, countDatabases } from "./backup_store.ts";

/**
 * Delay before the first retry, in milliseconds. The delay doubles with each retry, up to the time
 * between backups.
 */
const FIRST_RETRY_MS = 5 * 60_000;

/** Maximum length of a message, in characters. */
const MAX_MESSAGE = 1500;

type Success = NonNullable<BackupRecord["last"]>;

export type BackupOutcome =
  | Omit<Success, "at" | "databases"> & {
    readonly databases: readonly { readonly tables: number; readonly rows: number }[];
    readonly removed: number;
  }
  | { readonly error: string; readonly hint: string | null };

/** A person, and the workspace in which this person sees platform events. */
interface PlatformOwner {
  readonly userId: string;
  readonly workspaceId: string | null;
}

interface BackupScheduleOptions {
  readonly store: Pick<BackupStore, "read" | "set">;
  readonly nodes: Pick<Nodes, "during">;
  readonly everyMs: number;
  readonly now: Clock;
  run(signal: AbortSignal): Promise<BackupOutcome>;
  /** Returns the platform's owner, who receives events, or `undefined` if there is no owner yet. */
  owner(): Promise<PlatformOwner | undefined>;
  readonly raiseEvent: RaiseEvent;
  log(line: PlatformLog): void;
}

/** Tolerance for clock differences between nodes, in milliseconds. */
const CLOCK_SLACK_MS = 60_000;

/** Returns when the next backup starts, in milliseconds since 1970. */
export function nextBackupAt(
  { last, failure }: BackupRecord,
  everyMs: number,
  now: number,
): number {
  // The clock was ahead, so do not wait until the clock reaches that time again.
  if ((failure?.at ?? last?.at ?? 0) > now + CLOCK_SLACK_MS) return now;
  if (failure === null) return last === null ? 0 : last.at + everyMs;
  const pause = FIRST_RETRY_MS * 2 ** Math.min(20, failure.attempts - 1);
  return failure.at + Math.min(everyMs, pause);
}

export class BackupSchedule {
  readonly #options: BackupScheduleOptions;

  constructor(options: BackupScheduleOptions) {
    this.#options = options;
  }

  /** Creates a backup if one is due, on the responsible node. */
  async round(signal: AbortSignal): Promise<void> {
    await this.#options.nodes.during("backups", (lease) => this.#round(signal, lease));
  }

  async #round(signal: AbortSignal, lease: Lease): Promise<void> {
    const { store, everyMs, now, run } = this.#options;
    const before = await store.read();
    if (now() < nextBackupAt(before, everyMs, now())) {
      // The process was killed, or the store was restored from a backup that had recorded its own
      // start.
      if (before.startedAt !== null) await store.set({ ...before, startedAt: null }, lease);
      return;
    }
    await store.set({ ...before, startedAt: now() }, lease);
    const outcome = await run(signal).catch((error) => ({ error: messageOf(error), hint: null }));
    // The platform was stopped during the backup, so the next start repeats it.
    if (signal.aborted) return await store.set({ ...before, startedAt: null }, lease);
    if ("error" in outcome) return await this.#fail(before, outcome, lease);
    await this.#succeed(before, outcome, lease);
  }

  async #succeed(
    { failure }: BackupRecord,
    { removed, databases, ...backup }: Exclude<BackupOutcome, { readonly error: string }>,
    lease: Lease,
  ): Promise<void> {
    const { store, now, log, raiseEvent } = this.#options;
    const event = failure === null
      ? undefined
      : await this.#eventOf("health.backup_recovered", failure.since, `Backup ${backup.name}`);
    await store.set(
      {
        startedAt: null,
        last: { ...backup, databases: countDatabases(databases), at: now() },
        failure: null,
      },
      lease,
      event,
    );
    if (event !== undefined) await raiseEvent(event);
    const old = removed === 0 ? "" : `; old backups removed: ${removed}`;
    log({
      level: "info",
      message: `Backup ${backup.name} was stored and passed a test restore${old}`,
    });
  }

  async #fail(
    before: BackupRecord,
    { error, hint }: Extract<BackupOutcome, { readonly error: string }>,
    lease: Lease,
  ): Promise<void> {
    const { store, now, log, raiseEvent } = this.#options;
    const at = now();
    const since = before.failure?.since ?? at;
    const attempts = (before.failure?.attempts ?? 0) + 1;
    const message = error.slice(0, MAX_MESSAGE).toWellFormed();
    const event = attempts === 1
      ? await this.#eventOf(
        "health.backup_failed",
        since,
        hint === null ? message : `${message}. ${hint}`,
      )
      : undefined;
    const failure = { at, since, attempts, message, hint };
    await store.set({ ...before, startedAt: null, failure }, lease, event);
    if (event !== undefined) await raiseEvent(event);
    const advice = hint === null ? "" : `. ${hint}`;
    log({ level: "error", message: `Backup failed: ${message}${advice}` });
  }

  async #eventOf(
    event: "health.backup_failed" | "health.backup_recovered",
    since: number,
    reason: string,
  ): Promise<RaisedEvent | undefined> {
    const owner = await this.#options.owner();
    if (owner === undefined) return undefined;
    return {
      event,
      audience: { type: "user", ...owner },
      data: { reason },
      key: `${event}/${since}`,
    };
  }
}
