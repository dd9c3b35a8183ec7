/** @module Checks the regular backups of the platform in use. */
import { type BackupStatus, getBackups } from "../../contract/backups.ts";
import { formatBytes, formatCount } from "../../lib/format.ts";
import type { Context } from "../session/context.ts";
import { printable } from "../terminal/format.ts";
import type { Point } from "./point.ts";

/** Maximum age of the last backup, in intervals, before `svc doctor` warns. */
const LATE = 1.5;

/** Running time in milliseconds after which a backup that waits for its target may be stuck. */
const LONG_MS = 3_600_000;

const name = "backups";

/** Checks a platform's backups. Returns an empty list if the platform creates no backups. */
export function judgeBackups(status: BackupStatus, now: number): readonly Point[] {
  const { place, everySeconds, last, failure, runningSince } = status;
  if (place === null) return [];
  if (failure !== null) {
    const then = last === null ? "no verified backup yet" : `last verified: ${last.name}`;
    return [{
      name,
      state: "fail",
      found: `backups to ${printable(place)} have failed since ${failure.since} (${
        printable(then)
      }): ${printable(failure.message)}`,
      advice: failure.hint ?? "Check the svc serve log. The platform retries automatically",
    }];
  }
  const since = Date.parse(runningSince ?? last?.at ?? "");
  const isLate = now - since > LATE * everySeconds * 1000;
  if (runningSince !== null && isLate && now - since > LONG_MS) {
    return [{
      name,
      state: "warn",
      found: `a backup to ${printable(place)} has been running since ${runningSince}`,
      advice: "Check that the target responds, then restart svc serve, which starts the backup " +
        "again",
    }];
  }
  if (last === null) {
    const found = runningSince === null ? "no backup yet" : "the first backup is running";
    return [{ name, state: "ok", found: `${found}; backups go to ${printable(place)}` }];
  }
  const found = `${printable(last.name)}, ${
    formatBytes(last.bytes)
  }, was verified by restoring it: ${formatCount(last.records, "record")}, ${
    formatCount(last.blobs, "blob")
  }, ${formatCount(last.databases.count, "database")} with ${
    formatCount(last.databases.rows, "row")
  }`;
  return [
    isLate && runningSince === null
      ? {
        name,
        state: "warn",
        found: `the last backup is old: ${found}`,
        advice: "Check the svc serve log",
      }
      : { name, state: "ok", found },
  ];
}

/** Fetches the status of the backups from the platform, which responds only to its owner. */
export async function examineBackups(ctx: Context): Promise<readonly Point[]> {
  try {
    return judgeBackups(await ctx.client({ phase: "auth" }).call(getBackups, {}), ctx.now());
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return [];
  }
}
