import assert from "node:assert/strict";
import type { BackupStatus } from "../../contract/backups.ts";
import { BackupsCard } from "./usage_page.tsx";

const STATUS: BackupStatus = {
  place: "/mnt/backups",
  everySeconds: 86_400,
  keep: 30,
  encrypted: true,
  runningSince: null,
  nextAt: "2026-12-02T03:00:00Z",
  last: {
    name: "2026-12-01T03-00-00Z",
    at: "2026-12-01T03:05:00Z",
    files: 3,
    bytes: 2_000_000,
    sentBytes: 1000,
    records: 41,
    blobs: 1,
    databases: { count: 1, tables: 1, rows: 2 },
  },
  failure: null,
};

const textOf = (status: BackupStatus): string =>
  String(BackupsCard({ status })).replace(/<[^>]+>/g, "").replace(/\s+/g, " ");

Deno.test("BackupsCard() shows the restored backup, and when the next backup starts", () => {
  const text = textOf(STATUS);
  assert.match(
    text,
    /2026-12-01T03-00-00Z .* was restored .*41 records, 1 blob, 1 database with 2 rows/,
  );
  assert.match(text, /Next: .*Dec/);
  assert.match(
    textOf({ ...STATUS, runningSince: STATUS.nextAt, last: null }),
    /A backup is running/,
  );
});

Deno.test("BackupsCard() shows why backups fail, with advice, and escapes markup", () => {
  const failure = {
    at: "2026-12-01T03:05:00Z",
    since: "2026-12-01T03:05:00Z",
    message: "Cannot use <b>bucket</b>",
    hint: "Create the bucket",
  };
  const html = String(BackupsCard({ status: { ...STATUS, failure } }));
  assert.match(html, /role="alert"/);
  assert.match(html, /Cannot use &lt;b&gt;bucket/);
  assert.match(html, /Create the bucket/);
});
