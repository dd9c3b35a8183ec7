/**
 * Site errors must be grouped by kind. Each must list the deployments, requests and log lines in
 * which it occurred.
 */
import assert from "node:assert/strict";
import { onEachEngine } from "../../helpers/compute_server.ts";
import { deployServer } from "../../helpers/compute_site.ts";
import { createProject, type TestPlatform, withPlatform } from "../../helpers/platform.ts";
import { openMachinery, publish, rule } from "../../helpers/upstreams.ts";
import { until } from "../../../src/lib/_test_until.ts";

const HOST = "shop.localhost";

const FUNCTION = `class TideError extends Error {
  override name = "TideError";
}
function fail(path: string): never {
  throw new TideError("No tide for " + path + " at 0x7ffe" + Math.random());
}
export default (request: Request) => fail(new URL(request.url).pathname);
`;

const RULES = [
  rule("tides", { type: "pipeline", steps: [{ handle: "tides" }] }, "/tides/"),
  rule("closed", { type: "deny", statusCode: 503 }, "/closed/"),
];

const list = async (platform: TestPlatform, query = "") =>
  (await platform.api("GET", `/v1/projects/shop/errors${query}`)).json.items;

Deno.test("function exceptions are grouped into one error, with deployments, requests and lines", async () => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  await createProject(platform, "shop");
  assert.deepEqual(await list(platform), []);
  const deployed = {
    files: { "index.html": "home" },
    functions: { tides: FUNCTION },
    rules: RULES,
  };
  const first = await publish(platform, "shop", deployed);
  for (const day of [1, 2, 3]) assert.ok((await platform.get(HOST, `/tides/${day}`)).status >= 500);
  const second = await publish(platform, "shop", { ...deployed, files: { "index.html": "new" } });
  const last = await platform.get(HOST, "/tides/4?moon=%3Cb%3Efull%3C%2Fb%3E");
  assert.equal((await platform.get(HOST, "/closed/door")).status, 503);

  const errors = await until(() => list(platform), (found) => found[0]?.count === 4);
  assert.equal(errors.length, 1, JSON.stringify(errors));
  const [error] = errors;
  assert.deepEqual([error.kind, error.source, error.count], ["function", "tides", 4]);
  assert.match(error.title, /^TideError: No tide for /);
  assert.equal(error.broughtBy, first.id);
  assert.ok(error.firstSeen < error.lastSeen);
  assert.deepEqual(await list(platform, `?deploymentId=${second.id}`), []);

  const { json: shown } = await platform.api("GET", `/v1/projects/shop/errors/${error.id}`);
  assert.match(shown.stack, /at fail \(functions\/tides\.ts:5:\d+\)/);
  assert.deepEqual(
    shown.deployments.map((each: { deploymentId: string; count: number }) => [
      each.deploymentId,
      each.count,
    ]),
    [[second.id, 1], [first.id, 3]],
  );
  const requestId = last.headers["x-svc-request-id"];
  const { requestId: seenId, method, path, status } = shown.occurrences[0];
  assert.deepEqual([seenId, method, path, status], [
    requestId,
    "GET",
    "/tides/4?moon=%3Cb%3Efull%3C%2Fb%3E",
    last.status,
  ]);
  assert.ok(shown.lines.length >= 2);
  assert.ok(shown.lines.every((line: { requestId: string }) => line.requestId === requestId));

  const missing = await platform.api("GET", "/v1/projects/shop/errors/0123456789abcdef");
  assert.equal(missing.status, 404);
  assert.equal((await platform.api("GET", "/v1/projects/shop/errors?cursor=zz")).status, 400);

  const news = async () =>
    (await platform.api("GET", "/v1/projects/shop/errors")).json.items.length;
  assert.equal(await news(), 1);
});

const SERVER = `
import { createServer } from "node:http";
function findBoat(name) { throw new TypeError("No boat " + name); }
createServer((request, response) => {
  if (request.url.startsWith("/api/plain")) { response.statusCode = 500; return response.end("no"); }
  if (!request.url.startsWith("/api/boats/")) return response.end("ok");
  try { findBoat(request.url); } catch (error) {
    console.error(error);
    response.statusCode = 500;
    response.end("failed");
  }
}).listen(Number(process.env.PORT));
`;

onEachEngine(
  "exceptions in a server's log and other 5xx responses are errors",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await deployServer(platform, "shop", { engine, server: SERVER });
      for (const name of ["a", "b"]) {
        assert.equal((await platform.get(HOST, `/api/boats/${name}`)).status, 500);
      }
      for (const id of [17, 18]) await platform.get(HOST, `/api/plain/${id}`);
      const errors = await until(
        () => list(platform),
        (items) => items.length === 2 && items.every(({ count }: { count: number }) => count === 2),
      );
      const of = (kind: string) => errors.find((each: { kind: string }) => each.kind === kind);
      assert.match(of("server").title, /^TypeError: No boat /);
      assert.equal(of("server").source, "app");
      assert.equal(of("response").title, "500 GET /api/plain/<n>");
      const { json } = await platform.api("GET", `/v1/projects/shop/errors/${of("server").id}`);
      assert.match(json.stack, /at findBoat /);
      assert.equal(json.occurrences[0].path, "/api/boats/b");
    }),
);
