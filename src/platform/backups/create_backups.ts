/** Sets up scheduled backups, and `GET /v1/backups` for the platform's owner. @module */
import type { BackupStatus } from "../../contract/backups.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { type Rounds, startRounds } from "../../lib/rounds.ts";
import type { AccountStore } from "../accounts/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { Failure } from "../core/http/mod.ts";
import { type BackupOutcome, BackupSchedule, nextBackupAt } from "./backup_schedule.ts";
import { BackupStore } from "./backup_store.ts";

interface BackupSettings {
  /** The location for backups. Missing if the operator has not set one. */
  readonly place?: string;
  readonly everyMs: number;
  readonly keep: number;
  readonly recipients: readonly string[];
}

/** How often to check whether a backup is due, in milliseconds. */
const LOOK_MS = 30_000;
/** Delay before the first check, in milliseconds, so the check does not slow down startup. */
const FIRST_LOOK_MS = 5_000;

const timeOf = (time: number | null): string | null =>
  time === null ? null : new Date(time).toISOString();

export function createBackups(
  { kv, nodes, events, now, log }: Pick<Foundation, "kv" | "nodes" | "events" | "now" | "log">,
  { settings, accounts, run }: {
    readonly settings: BackupSettings;
    readonly accounts: Pick<AccountStore, "ownerId" | "memberships">;
    run(signal: AbortSignal): Promise<BackupOutcome>;
  },
): Capability {
  const { place = null, everyMs, keep, recipients } = settings;
  const store = new BackupStore(kv);
  const schedule = new BackupSchedule({
    store,
    nodes,
    everyMs,
    now,
    run,
    async owner() {
      const userId = await accounts.ownerId();
      if (userId === undefined) return undefined;
      const [first] = await accounts.memberships.collect(userId);
      return { userId, workspaceId: first?.workspaceId ?? null };
    },
    raiseEvent: events.raise,
    log,
  });
  let rounds: Rounds | undefined;
  const status = async (): Promise<BackupStatus> => {
    const record = await store.read();
    const { startedAt, last, failure } = record;
    return {
      place,
      everySeconds: Math.round(everyMs / 1000),
      keep,
      encrypted: recipients.length > 0,
      runningSince: place === null ? null : timeOf(startedAt),
      nextAt: place === null ? null : timeOf(Math.max(now(), nextBackupAt(record, everyMs, now()))),
      last: last && { ...last, at: timeOf(last.at)! },
      failure: failure && {
        at: timeOf(failure.at)!,
        since: timeOf(failure.since)!,
        message: failure.message,
        hint: failure.hint,
      },
    };
  };
  return {
    name: "backups",
    whenListening() {
      if (place === null) return;
      rounds = startRounds({
        firstMs: FIRST_LOOK_MS,
        everyMs: LOOK_MS,
        run: (signal) => schedule.round(signal),
        onError: (error) => log({ level: "error", message: `Backup failed: ${error}` }),
      });
    },
    close: () => rounds?.close(),
    bindRoutes(router) {
      router.guarded(endpoints.getBackups, async (caller) => {
        if (await accounts.ownerId() !== caller.user.id) {
          throw new Failure("forbidden", "Only the platform's owner can see its backups");
        }
        return await status();
      });
    },
  };
}
