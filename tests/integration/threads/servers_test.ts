import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { deployServer } from "../../helpers/compute_site.ts";
import {
  createProject,
  rawRequest,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { Visitors } from "./_visitors.ts";

const HOST = "shop.localhost";
const PATH = "/api/version";

const serverOf = (version: string) => `
import { createServer } from "node:http";
let runs = 0;
createServer((request, response) => {
  if (request.url === "/api/crash") process.exit(3);
  if (request.url === "/api/echo") {
    response.setHeader("x-runs", ++runs);
    return request.pipe(response);
  }
  if (request.url === "/api/declared") response.setHeader("svc-cdn-cache-control", "max-age=600");
  response.end(request.url === "/api/declared" ? "declared" : "${version}");
}).listen(process.env.PORT);
`;

/** Deploys a server that says its version. */
async function deployVersion(platform: TestPlatform, version: string): Promise<void> {
  await deployServer(platform, "shop", { server: serverOf(version), prod: true });
}

/** Waits until every connection is answered without the platform, which is blocked meanwhile. */
async function askDirectly(visitors: Visitors): Promise<string[]> {
  await visitors.ask(PATH, 3);
  return [...new Set(await visitors.ask(PATH, 5, { isBlocked: true }))];
}

Deno.test("threads ask a server while the platform does nothing; a rollback counts at once", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployVersion(platform, "one");
    using visitors = new Visitors(platform.port);
    assert.deepEqual(await askDirectly(visitors), ["200 one"]);
    // Visitors all the time: none of them meets an error while servers come and go.
    const before = visitors.ask(PATH, 50);
    await deployVersion(platform, "two");
    assert.deepEqual(
      new Set(await before).difference(new Set(["200 one", "200 two"])),
      new Set(),
    );
    assert.deepEqual(await askDirectly(visitors), ["200 two"]);
    const during = visitors.ask(PATH, 50);
    assert.equal((await platform.api("POST", "/v1/projects/shop/rollback")).status, 200);
    const other = await rawRequest(platform.port, { host: HOST, path: PATH });
    assert.equal(String(other.body), "one");
    assert.deepEqual(
      new Set(await during).difference(new Set(["200 one", "200 two"])),
      new Set(),
    );
    assert.deepEqual(await askDirectly(visitors), ["200 one"]);
  }, { edgeThreads: 3 }));

Deno.test("threads send requests with bodies to a server, each once", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployVersion(platform, "one");
    using visitors = new Visitors(platform.port);
    assert.deepEqual(await askDirectly(visitors), ["200 one"]);
    const path = "/api/echo";
    const body = "x".repeat(100_000);
    const posted = await visitors.ask(path, 2, { isBlocked: true, body });
    assert.deepEqual([...new Set(posted)], [`200 ${body}`]);
    const { status, headers } = await rawRequest(platform.port, {
      ...{ host: HOST, path, method: "DELETE" },
    });
    assert.deepEqual([status, headers["x-runs"]], [200, String(posted.length + 1)]);
  }, { edgeThreads: 3 }));

Deno.test("a server that crashes under a thread's request is a 502, and is started again", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployVersion(platform, "one");
    using visitors = new Visitors(platform.port);
    assert.deepEqual(await askDirectly(visitors), ["200 one"]);
    const { status } = await rawRequest(platform.port, { host: HOST, path: "/api/crash" });
    assert.equal(status, 502);
    await until(async () =>
      (await rawRequest(platform.port, { host: HOST, path: PATH })).status === 200
    );
    assert.deepEqual(await askDirectly(visitors), ["200 one"]);
  }, { edgeThreads: 2 }));

Deno.test("once a server declares a response cacheable, its pages are the platform's to store", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployVersion(platform, "one");
    using visitors = new Visitors(platform.port);
    assert.deepEqual(await askDirectly(visitors), ["200 one"]);
    const seen = [...new Set(await visitors.ask("/api/declared", 4))];
    assert.ok(seen.includes("200 HIT declared"), seen.join());
    const isTold = (each: string) => each === "200 MISS declared" || each === "200 HIT declared";
    assert.ok(seen.every(isTold), `which edge answers first changes nothing: ${seen.join()}`);
    const hits = await visitors.ask("/api/declared", 3, { isBlocked: true });
    assert.deepEqual([...new Set(hits)], ["200 HIT declared"]);
  }, { edgeThreads: 2 }));
