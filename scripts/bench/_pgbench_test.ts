import assert from "node:assert/strict";
import { readPgbench } from "./_pgbench.ts";

const REPORT = `pgbench (15.18 (Debian 15.18-0+deb12u1))
transaction type: <builtin: select only>
scaling factor: 1
number of clients: 8
number of transactions actually processed: 30520
number of failed transactions: 0 (0.000%)
latency average = 0.524 ms
initial connection time = 9.114 ms
tps = 15269.201837 (without initial connection time)
`;

Deno.test("readPgbench() reads the rate from a report", () => {
  assert.equal(readPgbench(REPORT), 15269.201837);
});

Deno.test("readPgbench() rejects a run with failures, and a report without a rate", () => {
  const failed = REPORT.replace("transactions: 0 (0", "transactions: 12 (3");
  assert.throws(() => readPgbench(failed), /12 failed transactions/);
  assert.throws(() => readPgbench("pgbench: error"), /reports no rate/);
});
