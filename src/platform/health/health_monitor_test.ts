import assert from "node:assert/strict";
import { IsrCache, IsrMemory } from "../../edge/mod.ts";
import { MemoryServer } from "../compute/_test_server.ts";
import { LayerServer } from "../compute/layer_server.ts";
import { type ServersHealth, SiteServers } from "../compute/site_servers.ts";
import { Addresses } from "../core/addresses.ts";
import { deploymentRecord } from "../deployments/deployment.ts";
import type { RaisedEvent } from "../core/events/raise_event.ts";
import { HealthMonitor } from "./health_monitor.ts";
import type { HealthRecord } from "./health_record.ts";

const OWNER = deploymentRecord.parse({
  id: "01890000-0000-7000-8000-000000000001",
  projectId: "project-1",
  workspaceId: "workspace-1",
  projectName: "shop",
  status: "LIVE",
  environment: "production",
  branch: "main",
  commitSha: null,
  message: null,
  author: null,
  uniqueLabel: "shop-abc",
  branchLabel: "shop-git-main",
  contentSha: "0".repeat(64),
  functions: [],
  variablesVersion: "v",
  fileCount: 1,
  totalBytes: 1,
  error: null,
  createdAt: 0,
  updatedAt: 0,
  liveAt: 0,
});

/** Creates a monitor, with a shared store, for one project whose production serves `shown`. */
async function monitored(
  stored: Map<string, HealthRecord> = new Map(),
  shown = OWNER.id,
  elsewhere: readonly ServersHealth[] = [],
) {
  let now = 0;
  const server = new MemoryServer();
  const layers = new Map([["app", new LayerServer(() => Promise.resolve(server))]]);
  const pages = new IsrCache({
    deploymentId: OWNER.id,
    store: {
      list: () => Promise.resolve([]),
      read: () => Promise.resolve(undefined),
      write: () => Promise.resolve(),
      remove: () => Promise.resolve(),
    },
    memory: new IsrMemory(),
    now: () => now,
    onError: () => {},
  });
  const servers = new SiteServers(OWNER, layers, pages);
  await servers.start();
  const events: RaisedEvent[] = [];
  const monitor = new HealthMonitor({
    store: {
      async *all() {
        for (const [projectId, record] of stored) {
          yield await Promise.resolve({ projectId, record });
        }
      },
      change: (projectId, record) => Promise.resolve(void stored.set(projectId, record)),
    },
    computeService: { all: () => [servers], find: () => servers },
    elsewhere: {
      all: () => Promise.resolve(elsewhere.map((health) => ({ owner: OWNER, health }))),
      find: () => Promise.resolve(elsewhere.some(({ state }) => state === "healthy")),
    },
    sites: { deploymentAt: () => shown, resolve: () => undefined },
    addresses: new Addresses({ protocol: "http:", domain: "localhost", port: "8787" }),
    raiseEvent: (event) => Promise.resolve(void events.push(event)),
    now: () => now,
    onTrouble: (message) => assert.fail(message),
  });
  await monitor.start();
  const look = async () => {
    now += 30_000;
    await monitor.check();
  };
  return { monitor, server, events, look };
}

Deno.test("HealthMonitor reports an outage only once, and the recovery only once", async () => {
  const { monitor, server, events, look } = await monitored();
  await look();
  server.health = { healthy: false, reason: "The server is not responding" };
  for (let round = 0; round < 3; round++) await look();
  server.health = { healthy: true, latencyMs: 1 };
  for (let round = 0; round < 3; round++) await look();
  await monitor.close();
  assert.deepEqual(events.map(({ event, key }) => [event, key]), [
    ["health.check_failed", "project-1/60000/unhealthy"],
    ["health.recovered", "project-1/150000/healthy"],
  ]);
  assert.deepEqual(events[0]!.audience, { type: "workspace", workspaceId: "workspace-1" });
  assert.deepEqual(events[0]!.data, {
    deploymentId: OWNER.id,
    projectId: "project-1",
    project: "shop",
    url: "http://shop.localhost:8787",
    reason: "The server is not responding",
  });
});

Deno.test("HealthMonitor remembers its reports across a restart", async () => {
  const stored = new Map<string, HealthRecord>();
  const first = await monitored(stored);
  first.server.health = { healthy: false, reason: "down" };
  await first.look();
  await first.look();
  await first.monitor.close();
  const second = await monitored(stored);
  second.server.health = { healthy: false, reason: "down" };
  await second.look();
  await second.look();
  assert.deepEqual(second.events, []);
  assert.ok(second.server.starts > 1, "a site that is down is checked");
  await second.monitor.close();
});

Deno.test("HealthMonitor checks only production deployments", async () => {
  const { monitor, server, events, look } = await monitored(new Map(), "another");
  server.health = { healthy: false, reason: "down" };
  for (let round = 0; round < 3; round++) await look();
  await monitor.close();
  assert.deepEqual(events, []);
});

Deno.test("HealthMonitor reports a failure on one of several nodes only once", async () => {
  const elsewhere: ServersHealth[] = [{ state: "healthy" }, { state: "healthy" }];
  const { monitor, events, look } = await monitored(new Map(), OWNER.id, elsewhere);
  await look();
  elsewhere[0] = { state: "unhealthy", reason: "On node b: The server is not responding" };
  for (let round = 0; round < 3; round++) await look();
  elsewhere[0] = { state: "idle" };
  for (let round = 0; round < 3; round++) await look();
  await monitor.close();
  assert.deepEqual(events.map(({ event, data }) => [event, data.reason]), [
    ["health.check_failed", "On node b: The server is not responding"],
    ["health.recovered", null],
  ]);
});
