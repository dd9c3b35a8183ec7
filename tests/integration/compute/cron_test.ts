/** Runs live production deployments' scheduled tasks on a real platform with a real server. */
import assert from "node:assert/strict";
import type { CronRun, CronTask } from "../../../src/contract/cron.ts";
import type { LogEntry } from "../../../src/contract/logs.ts";
import type { Minutes } from "../../../src/platform/cron/minutes.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { deployServer, MANIFEST } from "../../helpers/compute_site.ts";
import {
  createProject,
  type TestPlatform,
  withPlatform,
  withPlatformInProcess,
} from "../../helpers/platform.ts";
import { runTool } from "../../helpers/tool.ts";

const HOST = "shop.localhost";
const SECRET = "not-for-clients-0123456789";

const scheduled = (paths: readonly string[], schedule = "* * * * *") => ({
  ...MANIFEST,
  cron: paths.map((path) => ({ path, schedule })),
});

/** A schedule that is never due during a test. */
const YEARLY = "0 0 1 1 *";

/** A server that records all requests except the one that it gets before it goes live. */
const SERVER = `
import { createServer } from "node:http";
const seen = [];
createServer((request, response) => {
  const { url, headers } = request;
  if (url === "/api/seen") return response.end(JSON.stringify(seen));
  if (url === "/") return response.end("here");
  seen.push({ url, cron: headers["x-svc-cron"] ?? null, auth: headers.authorization ?? null });
  if (url.startsWith("/api/fails")) response.statusCode = 503;
  if (url.startsWith("/api/breaks")) {
    response.writeHead(200, { "content-length": "100" });
    response.write("half");
    return setTimeout(() => process.exit(1), 10);
  }
  if (url.startsWith("/api/waits")) return;
  response.end("done");
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const run = (platform: TestPlatform, path: string) =>
  platform.api("POST", "/v1/projects/shop/cron/runs", { json: { path } });

const seenBy = async (platform: TestPlatform) =>
  JSON.parse((await platform.get(HOST, "/api/seen")).body.toString()) as Record<string, unknown>[];

const setSecret = (platform: TestPlatform) =>
  platform.api("PUT", "/v1/projects/shop/variables/CRON_SECRET", {
    json: { value: SECRET, category: "secret", scope: "all" },
  });

Deno.test("a task is one request to the server, with the project's secret, bypassing the rules", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const kept = await setSecret(platform);
    assert.ok(kept.status < 300, JSON.stringify(kept.json));
    const denied = {
      schemaVersion: "EDGE_RULE_SET_V1",
      rules: [{
        id: "closed",
        condition: { path: { type: "exact", value: "/api/task" } },
        action: { type: "deny" },
      }],
    };
    const manifest = scheduled(["/api/task?by=cron", "/api/fails", "/api/breaks"], YEARLY);
    await deployServer(platform, "shop", { server: SERVER, manifest, rules: denied });
    const { status, json } = await run(platform, "/api/task?by=cron");
    assert.equal(status, 200, JSON.stringify(json));
    const { outcome, status: answered, error, requestId } = json as CronRun;
    assert.deepEqual([outcome, answered, error], ["succeeded", 200, null]);
    assert.equal((await platform.get(HOST, "/api/task?by=cron")).status, 403);

    // A client cannot impersonate the scheduler.
    await platform.get(HOST, "/api/posing", { "x-svc-cron": "1" });
    assert.deepEqual(await seenBy(platform), [
      { url: "/api/task?by=cron", cron: "1", auth: `Bearer ${SECRET}` },
      { url: "/api/posing", cron: null, auth: null },
    ]);

    const logged = await until(async () => {
      const { json } = await platform.api("GET", `/v1/projects/shop/logs?search=${requestId}`);
      return (json.items as LogEntry[]).filter((item) => item.type === "request");
    }, (items) => items.length > 0);
    assert.deepEqual(
      [logged[0]!.path, logged[0]!.status, logged[0]!.userAgent],
      ["/api/task?by=cron", 200, "svc-cron"],
    );

    const failed = (await run(platform, "/api/fails")).json as CronRun;
    assert.deepEqual([failed.outcome, failed.status], ["failed", 503]);
    const broken = (await run(platform, "/api/breaks")).json as CronRun;
    assert.equal(broken.outcome, "failed");
    assert.match(broken.error ?? "", /interrupted/);

    const { json: list } = await platform.api("GET", "/v1/projects/shop/cron");
    const tasks = list.items as CronTask[];
    assert.deepEqual(tasks.map(({ path, timezone }) => [path, timezone]), [
      ["/api/task?by=cron", "UTC"],
      ["/api/fails", "UTC"],
      ["/api/breaks", "UTC"],
    ]);
    assert.equal(tasks[0]!.lastRun?.requestId, requestId);
    assert.ok(Date.parse(tasks[0]!.nextRunAt!) > Date.now() - 1000);
    assert.equal((await run(platform, "/api/other")).status, 404);

    const { run: ran } = await runTool(
      ["cron", "run", "/api/task?by=cron", "--project-id", "shop"],
      { port: platform.port, home: platform.dataDir },
    );
    assert.equal(ran.outcome, "succeeded");
  }));

/** Creates a clock whose minutes start on demand. Each minute starts after all earlier events. */
function testMinutes() {
  let [ahead, act] = [0, () => {}];
  const minutes: Minutes = {
    now: () => Date.now() + ahead,
    each(given) {
      act = given;
      return () => act = () => {};
    },
  };
  const begin = () => {
    ahead += 60_000;
    act();
  };
  return { minutes, begin };
}

Deno.test("a task runs automatically at its scheduled minute until its deployment ends", () => {
  const { minutes, begin } = testMinutes();
  return withPlatformInProcess(async (platform) => {
    await createProject(platform, "shop");
    assert.equal((await run(platform, "/api/task")).status, 409, "nothing is live");
    await deployServer(platform, "shop", { server: SERVER, manifest: scheduled(["/api/task"]) });
    assert.deepEqual(await seenBy(platform), []);
    for (const count of [1, 2]) {
      begin();
      const seen = await until(() => seenBy(platform), (requests) => requests.length >= count);
      assert.deepEqual(seen.at(-1), { url: "/api/task", cron: "1", auth: null });
      await until(async () => {
        const { json } = await platform.api("GET", "/v1/projects/shop/cron");
        return json.items[0].lastRun?.outcome;
      }, (outcome) => outcome === "succeeded");
    }
    await deployServer(platform, "shop", { server: SERVER, version: "2" });
    const { json } = await platform.api("GET", "/v1/projects/shop/cron");
    assert.deepEqual(json.items, []);
    assert.equal((await run(platform, "/api/task")).status, 404);
  }, { minutes });
});

Deno.test("a running task is not started again and ends when the platform stops", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployServer(platform, "shop", {
      server: SERVER,
      manifest: scheduled(["/api/waits"]),
    });
    const first = run(platform, "/api/waits").catch(() => undefined);
    await until(async () => (await seenBy(platform)).length > 0);
    const second = await run(platform, "/api/waits");
    assert.deepEqual([second.status, second.json.code], [409, "conflict"]);
    const { json } = await platform.api("GET", "/v1/projects/shop/cron");
    assert.equal(json.items[0].lastRun.outcome, "running");
    const stopping = platform.shutdown();
    await first;
    await stopping;
  }));
