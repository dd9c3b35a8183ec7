/**
 * Tests the data that the projects' and the operator's drains send over the network, and how
 * failures are reported. The long form requires `OTEL_COLLECTOR`, the path of an OpenTelemetry
 * collector.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import {
  attributesOf,
  type Message,
  TestReceiver,
} from "../../../src/platform/drains/_test_receiver.ts";
import { deployServer } from "../../helpers/compute_site.ts";
import {
  type ApiAnswer,
  createProject,
  deploy,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { runTool } from "../../helpers/tool.ts";

const SECRET = "s3cret-of-the-shop";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const AT = "/v1/projects/shop/drains";
const SERVER = `
import { createServer } from "node:http";
createServer((request, response) => {
  console.log("the key is " + process.env.API_KEY);
  if (request.url === "/api/huge") console.log("x".repeat(100_000));
  if (request.url === "/api/fail") console.error(new Error("no fish for " + process.env.API_KEY));
  response.end("served");
}).listen(Number(process.env.PORT));
`;

function listen(receiver: TestReceiver) {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    receiver.handle,
  );
  return { server, url: `http://127.0.0.1:${server.addr.port}` };
}

async function visit(platform: TestPlatform) {
  const trace = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
  for (const path of ["/", "/missing?key=" + SECRET, "/api/none", "/api/huge", "/api/fail"]) {
    await platform.get("shop.localhost", path, trace);
  }
}

async function openShop(platform: TestPlatform) {
  await createProject(platform, "shop");
  const json = { value: SECRET, category: "secret", scope: "all" };
  await platform.api("PUT", "/v1/projects/shop/variables/API_KEY", { json });
  return await deployServer(platform, "shop", { server: SERVER });
}

const add = (platform: TestPlatform, json: unknown): Promise<ApiAnswer> =>
  platform.api("POST", AT, { json });

Deno.test("drains receive their projects' masked records with resource and trace", async () => {
  const [own, all] = [new TestReceiver(), new TestReceiver()];
  const [ownAt, allAt] = [listen(own), listen(all)];
  await withPlatform(async (platform) => {
    const live = await openShop(platform);
    await createProject(platform, "docs");
    await deploy(platform, "docs", { files: { "index.html": "docs" } });
    const headers = { authorization: "Bearer t0ken", "x-tenant": "acme" };
    const added = await add(platform, { url: ownAt.url, headers });
    assert.equal(added.status, 201);
    assert.deepEqual(added.json.headerNames, ["authorization", "x-tenant"]);
    assert.ok(!JSON.stringify(added.json).includes("t0ken"));
    await visit(platform);
    await platform.get("docs.localhost", "/");
    await until(
      () => own.records,
      (records) => records.some(({ body }) => body.includes("no fish")),
    );
    await until(
      () => all.records,
      (records) => records.some(({ resource }) => resource["service.name"] === "docs"),
    );
    for (const receiver of [own, all]) {
      const home = receiver.records.find(({ body }) => body === "GET / 200")!;
      assert.equal(home.traceId, TRACE);
      const { "service.instance.id": node, "host.name": host, ...resource } = home.resource;
      assert.deepEqual(resource, {
        "service.name": "shop",
        "service.version": live.id,
        "deployment.environment.name": "production",
      });
      assert.ok(node && host);
      const bodies = receiver.records.map(({ body }) => body);
      assert.ok(bodies.includes("the key is •••"));
      assert.ok(bodies.includes("GET /missing?key=••• 200"));
      assert.ok(!JSON.stringify(receiver.records).includes(SECRET));
    }
    assert.ok(own.records.every(({ resource }) => resource["service.name"] === "shop"));
    assert.equal(own.headers[0]!.get("authorization"), "Bearer t0ken");
    assert.equal(all.headers[0]!.get("x-key"), "a,b");
    const { json: { items: [drain] } } = await platform.api("GET", AT);
    assert.ok(drain.health.sent > 5 && drain.health.lastError === null);
    const { json: { items: [ofAll] } } = await platform.api("GET", "/v1/drains");
    assert.deepEqual([ofAll.url, ofAll.headerNames], [allAt.url, ["x-key"]]);
    assert.ok(ofAll.health.sent > drain.health.sent);
    const deleted = await platform.api("DELETE", `${AT}/${drain.id}`);
    assert.equal(deleted.status, 204);
    const before = own.requests;
    await platform.get("shop.localhost", "/");
    await platform.shutdown();
    // The last metrics are sent when the platform stops.
    assert.equal(own.requests, before);
    const [metrics] = all.metrics;
    const names = metrics!.resourceMetrics.map(({ resource }: { resource: { attributes: [] } }) =>
      attributesOf(resource.attributes)["service.name"]
    );
    assert.deepEqual(names.sort(), ["docs", "shop", "svc"]);
    const memory = metrics!.resourceMetrics.flatMap(({ scopeMetrics }: Message) =>
      scopeMetrics.flatMap(({ metrics }: Message) => metrics)
    ).find(({ name }: Message) => name === "process.memory.usage");
    assert.ok(memory.sum.dataPoints[0].asDouble > 10_000_000);
    assert.ok(!platform.logged.join("\n").includes("t0ken"));
  }, {
    allowPrivateUpstreams: true,
    otlp: { urls: [allAt.url], headers: [{ host: undefined, name: "x-key", value: "a,b" }] },
  });
  await Promise.all([ownAt.server.shutdown(), allAt.server.shutdown()]);
});

Deno.test("unusable drains are refused, and failing drains report the reason", async () => {
  const [receiver, all] = [new TestReceiver(), new TestReceiver()];
  const [at, allAt] = [listen(receiver), listen(all)];
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "index.html": "home" } });
    for (
      const json of [
        {},
        { url: "ftp://otlp.example.com" },
        { url: "https://user:pass@otlp.example.com" },
        { url: "https://otlp.example.com", headers: { "bad name": "x" } },
        { url: "https://otlp.example.com", headers: { authorization: "a\nb" } },
        { url: "https://otlp.example.com", headers: { "Content-Type": "text/plain" } },
        { url: at.url.replace(/\d+$/, "22") + "/x", headers: { a: "" } },
      ]
    ) assert.equal((await add(platform, json)).status, 400, JSON.stringify(json));
    const folder = await makeTestFolder("svc-drains-");
    const tool = { port: platform.port, home: folder };
    const env = { OTLP_TOKEN: "Bearer t0ken" };
    const argv = ["drains", "add", at.url, "--header", "authorization=OTLP_TOKEN"];
    const { drain } = await runTool([...argv, "--project-id", "shop"], { ...tool, env });
    const test = () => platform.api("POST", `${AT}/${drain.id}/test`, { json: {} });
    const tested = await runTool(["drains", "test", drain.id, "--project-id", "shop"], tool);
    assert.deepEqual([tested.delivered, tested.detail], [true, "Status 200"]);
    assert.equal(receiver.headers[0]!.get("authorization"), "Bearer t0ken");
    for (const status of [301, 400, 401, 503]) {
      receiver.answer = () => ({ status, body: new TextEncoder().encode("\x08\x03no t0ken") });
      const { json } = await test();
      assert.deepEqual(
        [json.delivered, json.status, json.detail],
        [false, status, `The endpoint responded with status ${status}: no •••`],
      );
    }
    receiver.answer = () => ({ status: 400 });
    await platform.get("shop.localhost", "/");
    const { drains: [shown] } = await until(
      () => runTool(["drains", "list", "--project-id", "shop"], tool),
      ({ drains: [{ health }] }) => health.dropped === 1,
    );
    assert.equal(shown.health.lastError, "The endpoint responded with status 400");
    const isLine = (line: string) => line.includes("Dropped 1 log record for the drain");
    await until(() => platform.logged.some(isLine));
    // The operator's endpoint gets the platform's own log.
    const records = await until(() => all.records, (list) => list.some(({ body }) => isLine(body)));
    const own = records.find(({ body }) => isLine(body))!;
    assert.deepEqual([own.severity, own.resource["service.name"]], ["WARN", "svc"]);
    for (let number = 1; number < 5; number++) await add(platform, { url: at.url });
    assert.equal((await add(platform, { url: at.url })).status, 409);
    const missing = `${AT}/${crypto.randomUUID()}`;
    assert.equal((await platform.api("DELETE", missing)).status, 404);
    await Deno.remove(folder, { recursive: true });
  }, { allowPrivateUpstreams: true, otlp: { urls: [allAt.url] } });
  await Promise.all([at.server.shutdown(), allAt.server.shutdown()]);
});

Deno.test("private endpoints require the operator's permission", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    for (const url of ["http://127.0.0.1:4318", "http://localhost:4318", "http://[::1]:4318"]) {
      const { status, json } = await add(platform, { url });
      assert.equal(status, 400, url);
      assert.match(json.error, /--allow-private-upstreams/);
    }
  }));

const collector = Deno.env.get("OTEL_COLLECTOR");

Deno.test({
  name: "an OpenTelemetry collector accepts everything that is sent",
  ignore: collector === undefined,
  async fn() {
    const folder = await makeTestFolder("svc-drains-");
    const probe = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = probe.addr;
    probe.close();
    const config = join(folder, "config.yaml");
    await Deno.writeTextFile(
      config,
      `
receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:${port}" } } } }
exporters: { debug: { verbosity: detailed } }
service:
  telemetry: { metrics: { level: none } }
  pipelines:
    logs: { receivers: [otlp], exporters: [debug] }
    metrics: { receivers: [otlp], exporters: [debug] }
`,
    );
    const child = new Deno.Command(collector!, {
      args: ["--config", config],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    let output = "";
    const reading = child.stderr.pipeThrough(new TextDecoderStream()).pipeTo(
      new WritableStream({ write: (text) => void (output += text) }),
    );
    await until(() => output, (text) => text.includes("Everything is ready"));
    await withPlatform(async (platform) => {
      await openShop(platform);
      await visit(platform);
      await until(() => output, (text) => text.includes("no fish for •••"));
      const { json: { items: [{ health }] } } = await platform.api("GET", "/v1/drains");
      assert.deepEqual([health.dropped, health.lastError], [0, null]);
    }, { otlp: { urls: [`http://127.0.0.1:${port}`] } });
    await until(() => output, (text) => text.includes("http.server.request.duration"));
    child.kill();
    await Promise.all([child.status, reading]);
    await Deno.remove(folder, { recursive: true });
    assert.ok(output.includes(`Trace ID: ${TRACE}`));
    assert.ok(output.includes("deployment.environment.name: Str(production)"));
    assert.ok(!output.includes(SECRET));
  },
});
