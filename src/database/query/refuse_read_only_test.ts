import assert from "node:assert/strict";
import { refuseReadOnly } from "./refuse_read_only.ts";

const REFUSED = [
  ["INSERT INTO boats VALUES (1)", "cannot execute INSERT in a read-only transaction"],
  ["-- new\n/* table */ create table boats (name text)", "cannot execute CREATE in a"],
  ["; truncate boats; SELECT 1", "cannot execute TRUNCATE in a"],
  ["COMMIT; SELECT 1", "remove COMMIT"],
  ["COPY boats TO '/tmp/out'", "does not support COPY"],
] as const;

for (const [sql, message] of REFUSED) {
  Deno.test(`refuseReadOnly() refuses ${JSON.stringify(sql)}`, () => {
    const event = refuseReadOnly(sql);
    assert.equal(event?.sqlState, "25006");
    assert.ok(event.message.includes(message), event.message);
  });
}

const LEFT_TO_SERVER = [
  "SELECT 'insert into boats'",
  "SELECT 1; DELETE FROM boats",
  "EXPLAIN DELETE FROM boats",
  "WITH gone AS (DELETE FROM boats RETURNING name) SELECT * FROM gone",
  '"insert" INTO boats',
  "",
];

for (const sql of LEFT_TO_SERVER) {
  Deno.test(`refuseReadOnly() leaves ${JSON.stringify(sql)} to the server`, () => {
    assert.equal(refuseReadOnly(sql), undefined);
  });
}
