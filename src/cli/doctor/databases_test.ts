import assert from "node:assert/strict";
import type { DatabaseFacts } from "../../serve/mod.ts";
import { judgeCluster, judgeEmbedded, judgeRecords, judgeServer } from "./databases.ts";

const NOW = Date.parse("2026-12-01T12:00:00Z");
const HOUR = 60 * 60 * 1000;

const SERVER = {
  version: "17.6",
  mayCreate: true,
  mostConnections: 97,
  connections: 3,
  branches: ["b".repeat(16)],
  withoutDatabase: [] as readonly string[],
};
const RECORDS = {
  databases: 2,
  failed: [],
  expired: [],
  deleted: [],
  largestOnServer: { name: "stock of shop", connections: 80 },
  shown: [
    { name: "orders/main of shop", engine: "embedded", id: "a".repeat(16) },
    { name: "stock/main of shop", engine: "server", id: "b".repeat(16) },
  ],
  named: new Set(["a".repeat(16), "b".repeat(16)]),
} as const;
const CLUSTER = {
  folder: "/data/postgres",
  made: 17,
  installed: ["17.6"],
  runs: true,
  mode: 0o40700,
  lastWords: "",
  history: undefined,
};
const WELL: DatabaseFacts = {
  isServed: true,
  embedded: {
    branches: ["a".repeat(16)],
    sizeBytes: 40e6,
    largestBytes: 40e6,
    clones: false,
    history: undefined,
  },
  cluster: CLUSTER,
  server: SERVER,
  serverProblem: undefined,
  records: RECORDS,
};

const statesOf = (points: readonly { readonly state: string }[]) =>
  points.map(({ state }) => state).join(" ");

Deno.test("judgeServer() requires rights, connections, and a version that is still supported", () => {
  const judge = (server: Partial<typeof SERVER>) =>
    judgeServer({ ...WELL, server: { ...SERVER, ...server } }, NOW);
  assert.equal(statesOf(judge({})), "ok");
  assert.match(judge({})[0]!.found, /^PostgreSQL 17.6, 3 of 97 connections in use$/);
  assert.equal(statesOf(judge({ mayCreate: false })), "fail");
  assert.equal(statesOf(judge({ mostConnections: 20 })), "warn");
  assert.equal(statesOf(judge({ connections: 95 })), "warn");
  assert.match(
    judge({ version: "14.20" })[0]!.found,
    /support for this version ended on 2026-11-12$/,
  );
  assert.match(judge({ version: "9.6" })[0]!.found, /support for this version ended before 2026$/);
  assert.equal(statesOf(judge({ version: "19.1" })), "ok", "one that this program does not know");
  const largestOnServer = { name: "stock of shop", connections: 640 };
  const [large] = judgeServer({ ...WELL, records: { ...RECORDS, largestOnServer } }, NOW);
  assert.match(large!.found, /3 of 97 .*; the size of stock of shop allows 640 connections$/);
  assert.match(large!.advice!, /max_connections/);
  assert.deepEqual(judgeServer({ ...WELL, server: undefined }, NOW), []);
  const problem = { ...WELL, server: undefined, serverProblem: "connection refused" };
  assert.equal(judgeServer(problem, NOW)[0]!.found, "connection refused");
});

Deno.test("judgeCluster() names everything that keeps the local server from running", () => {
  const judge = (cluster: Partial<typeof CLUSTER>, isServed = true) =>
    judgeCluster({ ...WELL, isServed, cluster: { ...CLUSTER, ...cluster } });
  assert.equal(statesOf(judge({})), "ok");
  assert.equal(statesOf(judge({ runs: false }, false)), "ok");
  const [down] = judge({ runs: false, lastWords: "FATAL: no space" });
  assert.match(down!.found, /is not running: FATAL: no space$/);
  assert.match(judge({ installed: ["18.1"] })[0]!.found, /need PostgreSQL 17, which is not/);
  assert.equal(judge({ mode: 0o40750 })[0]!.advice, "Restrict it: chmod 700 /data/postgres/data");
  assert.deepEqual(judgeCluster({ ...WELL, cluster: undefined }), []);
});

Deno.test("judgeEmbedded() requires space for a copy if the file system cannot clone files", () => {
  assert.equal(statesOf(judgeEmbedded(WELL, 1e9)), "ok");
  const [low] = judgeEmbedded(WELL, 50e6);
  assert.deepEqual([low!.state, low!.advice], [
    "warn",
    "Free some space: a copy of the largest needs 38.1 MiB",
  ]);
  const clones = { ...WELL, embedded: { ...WELL.embedded, clones: true } };
  assert.equal(statesOf(judgeEmbedded(clones, 50e6)), "ok");
});

Deno.test("judgeRecords() reports databases that failed, are missing, have no owner, are late or expire soon", () => {
  const judge = (records: Partial<NonNullable<DatabaseFacts["records"]>>, more = {}) =>
    judgeRecords({ ...WELL, ...more, records: { ...RECORDS, ...records } }, NOW);
  assert.equal(judge({})[0]!.found, "2 databases, all found in their engines");
  assert.deepEqual(judgeRecords({ ...WELL, records: undefined }, NOW), []);
  const [failed] = judge({ failed: [{ name: "orders/try of shop", reason: "disk full" }] });
  assert.equal(failed!.found, "orders/try of shop failed: disk full");
  const [gone] = judge({}, { server: { ...SERVER, branches: [] } });
  assert.equal(gone!.found, "the engine lacks stock/main of shop");
  const bare = { server: { ...SERVER, withoutDatabase: SERVER.branches } };
  assert.equal(
    judge({}, bare)[0]!.found,
    gone!.found,
    "its role exists, but its database does not",
  );
  assert.equal(statesOf(judge({}, { server: undefined })), "ok", "a server that was not queried");
  const [stray] = judge({ named: new Set(["b".repeat(16)]) });
  assert.match(stray!.found, /^the engines have databases without a record: a{16}$/);
  const ended = (hours: number) => [{ name: "orders/try of shop", expiresAt: NOW - hours * HOUR }];
  assert.equal(statesOf(judge({ expired: ended(2) })), "ok", "it is removed within the hour");
  assert.match(judge({ expired: ended(30) })[0]!.advice!, /housekeeping fails/);
  assert.match(judge({ expired: ended(30) }, { isServed: false })[0]!.advice!, /Start svc serve/);
  const [soon, ...later] = judge({
    deleted: [
      { name: "old of shop", removedAt: NOW + 5 * HOUR },
      { name: "new of shop", removedAt: NOW + 100 * HOUR },
    ],
  });
  assert.equal(
    soon!.found,
    "old of shop was deleted and will be removed permanently at 2026-12-01 17:00 UTC",
  );
  assert.deepEqual(later, []);
});
