import assert from "node:assert/strict";
import { backupRecord, NO_BACKUP } from "./backup_store.ts";

Deno.test("backupRecord replaces a list of databases with their totals", () => {
  const last = { name: "b", at: 1, files: 1, bytes: 1, sentBytes: 1, records: 1, blobs: 1 };
  const databases = [{ id: "a", tables: 1, rows: 2 }, { id: "b", tables: 3, rows: 4 }];
  const record = backupRecord.parse({ ...NO_BACKUP, last: { ...last, databases } });
  assert.deepEqual(record.last?.databases, { count: 2, tables: 4, rows: 6 });
  assert.deepEqual(backupRecord.parse(record), record);
});
