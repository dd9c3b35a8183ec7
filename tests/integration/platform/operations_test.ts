/** Tests a platform's responses to its operator's probes and metrics requests. */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { createProject, deploy, rawRequest, start } from "../../helpers/platform.ts";

async function withPlatform(
  options: Parameters<typeof start>[1],
  test: (platform: Awaited<ReturnType<typeof start>>) => Promise<void>,
): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-operations-" });
  const platform = await start(dataDir, options);
  try {
    await test(platform);
  } finally {
    await platform.shutdown();
    await Deno.remove(dataDir, { recursive: true });
  }
}

Deno.test("probes and metrics exist only on the platform's own hosts, and sites keep their paths", () =>
  withPlatform({ trustProxy: [] }, async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "healthz": "of the site", "index.html": "home" } });
    const ask = (host: string, path: string, headers = {}) =>
      rawRequest(platform.port, { host, path, headers });
    assert.equal((await ask("localhost", "/healthz")).text, "ok\n");
    assert.equal((await ask("10.0.0.1", "/readyz?verbose")).text, "ready\n");
    assert.equal((await ask("shop.localhost", "/healthz")).text, "of the site");
    assert.equal((await ask("shop.localhost", "/metrics")).status, 404);
    const { status, text, headers } = await ask("localhost", "/metrics");
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    assert.match(text, /^svc_ready 1$/m);
    const [, found] = /^svc_http_requests_total\{part="api",code="2xx"\} (\d+)$/m.exec(text)!;
    assert.ok(Number(found) >= 2);
    const proxied = await ask("localhost", "/metrics", { "x-forwarded-for": "203.0.113.9" });
    assert.equal(proxied.status, 403);
  }));

const REQUESTS = 24;

Deno.test("metrics count each request once", () =>
  withPlatform({}, async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "index.html": "home" } });
    const counted = async (part: string, code: string) => {
      const { text } = await platform.get("localhost", "/metrics");
      const line = new RegExp(
        `^svc_http_requests_total{part="${part}",code="${code}"} (.+)$`,
        "m",
      );
      return Number(line.exec(text)![1]);
    };
    const before = await counted("api", "2xx");
    for (let number = 0; number < REQUESTS; number++) {
      assert.equal((await platform.get("shop.localhost", "/")).status, 200);
      assert.equal((await platform.get("shop.localhost", "/missing")).status, 404);
      assert.equal((await platform.get("localhost", "/healthz")).status, 200);
    }
    // The previous request for metrics is also counted once its response has been sent.
    assert.equal(await counted("api", "2xx"), before + 1 + REQUESTS);
    // Front edges report their requests a moment later.
    await until(() => counted("edge", "2xx"), (count) => count >= REQUESTS);
    assert.equal(await counted("edge", "2xx"), REQUESTS);
    assert.equal(await counted("edge", "4xx"), REQUESTS);
  }));

Deno.test("metrics can require a token, and then accept no other credentials", () =>
  withPlatform({ metricsToken: "metrics-token-0123456789" }, async ({ port }) => {
    const ask = (headers = {}) =>
      rawRequest(port, { host: "localhost", path: "/metrics", headers });
    assert.equal((await ask()).status, 403);
    assert.equal((await ask({ authorization: "Bearer metrics-token-0123456780" })).status, 403);
    assert.equal((await ask({ authorization: "Bearer metrics-token-0123456789" })).status, 200);
  }));
