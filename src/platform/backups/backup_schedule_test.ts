import assert from "node:assert/strict";
import { Lease } from "../../store/mod.ts";
import type { RaisedEvent } from "../core/events/mod.ts";
import { type BackupOutcome, BackupSchedule, nextBackupAt } from "./backup_schedule.ts";
import { type BackupRecord, NO_BACKUP } from "./backup_store.ts";

const HOUR = 3_600_000;
const START = Date.parse("2026-11-22T10:00:00Z");
const RESTORED = { name: "b", files: 1, bytes: 1, sentBytes: 1, records: 1, blobs: 1 };
const DONE = { ...RESTORED, databases: { count: 0, tables: 0, rows: 0 } };

const DATABASES = Array.from({ length: 2000 }, (_, rows) => ({ tables: 2, rows }));

/** Creates a schedule on an in-memory store, whose backups have the given outcomes. */
function scheduleOf(run: () => Promise<BackupOutcome>) {
  const at = { now: START, record: NO_BACKUP as BackupRecord };
  const events: string[] = [];
  const schedule = new BackupSchedule({
    store: {
      read: () => Promise.resolve(at.record),
      set: (record) => Promise.resolve(void (at.record = record)),
    },
    nodes: { during: (role, work) => work(Lease.ofSoleNode(role)) },
    everyMs: 24 * HOUR,
    now: () => at.now,
    run,
    owner: () => Promise.resolve({ userId: "u", workspaceId: null }),
    raiseEvent: ({ event }: RaisedEvent) => Promise.resolve(void events.push(event)),
    log: () => {},
  });
  return { at, events, round: () => schedule.round(new AbortController().signal) };
}

Deno.test("nextBackupAt() ignores a time written with a wrong clock", () => {
  const ahead: BackupRecord = { ...NO_BACKUP, last: { ...DONE, at: START + 9000 * HOUR } };
  assert.equal(nextBackupAt(ahead, HOUR, START), START);
  const recent: BackupRecord = { ...NO_BACKUP, last: { ...DONE, at: START + 1000 } };
  assert.equal(nextBackupAt(recent, HOUR, START), START + 1000 + HOUR);
});

Deno.test("BackupSchedule forgets a started backup whose process has exited", async () => {
  const { at, round } = scheduleOf(() => Promise.reject(new Error("not due")));
  at.record = { startedAt: START - HOUR, last: { ...DONE, at: START - 2 * HOUR }, failure: null };
  await round();
  assert.deepEqual([at.record.startedAt, at.record.last?.at], [null, START - 2 * HOUR]);
});

Deno.test("BackupSchedule raises one event for failures, and one for the recovery", async () => {
  const outcomes: (() => Promise<BackupOutcome>)[] = [
    () => Promise.reject(new Error("Cannot start a process")),
    () => Promise.resolve({ error: "The target is gone", hint: null }),
    () => Promise.resolve({ ...RESTORED, databases: DATABASES, removed: 0 }),
  ];
  const { at, events, round } = scheduleOf(() => outcomes.shift()!());
  await round();
  assert.deepEqual(at.record.failure?.message, "Cannot start a process");
  assert.equal(at.record.startedAt, null);
  await round();
  assert.equal(at.record.failure?.attempts, 1, "not due yet");
  at.now += 5 * 60_000;
  await round();
  assert.equal(at.record.failure?.attempts, 2);
  at.now += 10 * 60_000;
  await round();
  assert.deepEqual([at.record.failure, at.record.last?.at], [null, at.now]);
  assert.deepEqual(at.record.last?.databases, { count: 2000, tables: 4000, rows: 1_999_000 });
  assert.deepEqual(events, ["health.backup_failed", "health.backup_recovered"]);
});
