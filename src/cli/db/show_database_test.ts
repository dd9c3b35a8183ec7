import assert from "node:assert/strict";
import type { Database } from "../../contract/databases.ts";
import { formatDatabase } from "./show_database.ts";

const DATABASE: Database = {
  id: "0199e2e8-5f0f-7e11-8a33-0242ac120003",
  name: "shop",
  state: "active",
  reason: null,
  projectId: "0199e2e8-5f0f-7e11-8a33-0242ac120002",
  engine: "embedded",
  version: null,
  cuSize: "0.5",
  memoryMb: 512,
  maxConnections: 40,
  branches: 1,
  sizeBytes: null,
  autoInject: false,
  envVar: "DATABASE_URL",
  environments: null,
  previewBranches: false,
  overriddenBy: [],
  history: null,
  notes: [],
  deletedAt: null,
  removedAt: null,
  createdAt: "2026-11-21T10:00:00.000Z",
};

Deno.test("formatDatabase() shows the memory of a branch unless the server sets it", () => {
  const now = Date.parse(DATABASE.createdAt);
  assert.match(formatDatabase(DATABASE, now), /^cu size +0\.5: 512 MiB per branch$/m);
  const onServer = formatDatabase({ ...DATABASE, engine: "server" }, now);
  assert.match(onServer, /^cu size +0\.5: .*the server sets memory$/m);
  assert.doesNotMatch(onServer, /512/);
});
