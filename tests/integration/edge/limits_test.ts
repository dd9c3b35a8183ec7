import assert from "node:assert/strict";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import {
  createProject,
  deploy,
  rawRequest,
  start,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { publish, rule } from "../../helpers/upstreams.ts";
import { ClientConnection } from "../../helpers/held_requests.ts";

const HOST = "shop.localhost";
const LIMIT = 100;
const CLIENTS = 1000;

const limited = (prefix: string, more: object[] = []) => ({
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [{
    id: "limit",
    condition: { path: { type: "prefix", value: prefix } },
    action: { type: "rate_limit", limit: LIMIT, windowSeconds: 60, key: "host" },
  }, ...more],
});

/** Sends a request on each of many connections. Returns the number of responses by status. */
async function statuses({ port }: TestPlatform, path: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const ask = async () => {
    const { status } = await rawRequest(port, { host: HOST, path });
    counts[status] = (counts[status] ?? 0) + 1;
  };
  for (let asked = 0; asked < CLIENTS; asked += 100) {
    await Promise.all(Array.from({ length: 100 }, ask));
  }
  return counts;
}

Deno.test("a rate limit is exact across many connections", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "index.html": "home" }, rules: limited("/") });
    assert.deepEqual(await statuses(platform, "/"), { 200: LIMIT, 429: CLIENTS - LIMIT });
  }));

Deno.test("a request that a function responds to is counted once", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const { rules } = limited("/", [rule("say", { type: "pipeline", steps: [{ handle: "say" }] })]);
    await publish(platform, "shop", {
      functions: { say: `export default () => new Response("said")` },
      rules,
    });
    assert.deepEqual(await statuses(platform, "/up"), { 200: LIMIT, 429: CLIENTS - LIMIT });
    const { items } = (await platform.api("GET", "/v1/projects/shop/rules/counters")).json;
    assert.deepEqual(items, [
      { ruleId: "limit", matches: CLIENTS },
      { ruleId: "say", matches: LIMIT },
    ]);
  }));

Deno.test("no access log line is lost, and the rules' counters add up", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", {
      files: { "index.html": "home" },
      rules: {
        schemaVersion: "EDGE_RULE_SET_V1",
        rules: [{ id: "seen", action: { type: "log" } }],
      },
    });
    await Promise.all(
      Array.from(
        { length: 200 },
        (_, n) => rawRequest(platform.port, { host: HOST, path: `/?n=${n}` }),
      ),
    );
    const seen = async () => {
      const { items } = (await platform.api("GET", "/v1/projects/shop/logs?limit=1000")).json;
      return items.map(({ path }: { path: string }) => path);
    };
    // Edges report their requests four times a second.
    const found = await until(seen, ({ length }) => length >= 200);
    assert.deepEqual([found.length, new Set(found).size], [200, 200]);
    const counters = (await platform.api("GET", "/v1/projects/shop/rules/counters")).json;
    assert.deepEqual(counters.items, [{ ruleId: "seen", matches: 200 }]);
  }));

Deno.test("stopping right after many requests loses no lines, and they stay in order", async () => {
  const dataDir = await makeTestFolder("svc-test-");
  const [connections, times] = [20, 10];
  const before = await start(dataDir);
  try {
    await createProject(before, "shop");
    await deploy(before, "shop", { files: { "index.html": "home" } });
    await Promise.all(
      Array.from({ length: connections }, async (_, from) => {
        const connection = new ClientConnection(before.port);
        for (let time = 0; time < times; time++) {
          assert.equal(await connection.get(HOST, `/?from=${from}&time=${time}`), "200 home");
        }
        connection.close();
      }),
    );
  } finally {
    await before.shutdown();
  }
  const after = await start(dataDir);
  try {
    const { items } = (await after.api("GET", "/v1/projects/shop/logs?limit=1000")).json;
    const timesOf = (from: number) =>
      items.flatMap(({ path }: { path: string }) =>
        new RegExp(`^/\\?from=${from}&time=(\\d+)$`).exec(path)?.[1] ?? []
      ).map(Number);
    const inOrder = Array.from({ length: times }, (_, time) => time);
    for (let from = 0; from < connections; from++) {
      const seen = timesOf(from);
      // The log can start with either the oldest or the latest request.
      assert.deepEqual(seen[0] === 0 ? seen : seen.toReversed(), inOrder);
    }
  } finally {
    await after.shutdown();
  }
});
