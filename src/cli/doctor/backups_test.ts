import assert from "node:assert/strict";
import type { BackupStatus } from "../../contract/backups.ts";
import { judgeBackups } from "./backups.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");
const HOUR = 3_600_000;
const at = (hoursAgo: number) => new Date(NOW - hoursAgo * HOUR).toISOString();

const status = (more: Partial<BackupStatus>): BackupStatus => ({
  place: "/mnt/backups",
  everySeconds: 24 * 3600,
  keep: 30,
  encrypted: false,
  runningSince: null,
  nextAt: at(0),
  last: null,
  failure: null,
  ...more,
});

const last = (hoursAgo: number): NonNullable<BackupStatus["last"]> => ({
  ...{ name: "b", at: at(hoursAgo), files: 1, bytes: 1, sentBytes: 1, records: 1, blobs: 1 },
  databases: { count: 0, tables: 0, rows: 0 },
});

Deno.test("judgeBackups() warns about late backups, and backups that do not end", () => {
  const cases: readonly (readonly [Partial<BackupStatus>, string | undefined, RegExp])[] = [
    [{ place: null }, undefined, /^$/],
    [{}, "ok", /^no backup yet; backups go to/],
    [{ runningSince: at(2) }, "ok", /^the first backup is running/],
    [{ runningSince: at(40) }, "warn", /has been running since 2026/],
    [{ last: last(30) }, "ok", /^b, 1 B, was verified by restoring it/],
    [{ last: last(40) }, "warn", /^the last backup is old/],
    [{ last: last(40), runningSince: at(1) }, "ok", /^b, 1 B/],
    [{ last: last(70), runningSince: at(40) }, "warn", /has been running since 2026/],
  ];
  for (const [more, state, found] of cases) {
    const [point] = judgeBackups(status(more), NOW);
    assert.equal(point?.state, state, JSON.stringify(more));
    assert.match(point?.found ?? "", found);
  }
});
