import assert from "node:assert/strict";
import { checkEvent, fetchStream } from "../../helpers/contract.ts";
import { runTool } from "../../helpers/tool.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { withDashboard } from "../../helpers/dashboard.ts";
import { createProject, deploy, rawRequest, TOKEN, withPlatform } from "../../helpers/platform.ts";

Deno.test("logs show a project's requests, oldest first, in pages and with filters", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const live = await deploy(platform, "shop", { files: { "index.html": "home" } });
    let sent = 0;
    let all = await platform.api("GET", "/v1/projects/shop/logs");
    for (const path of ["/", "/missing?x=1", "/", "/other"]) {
      const headers = { "user-agent": `agent${path}` };
      await rawRequest(platform.port, { host: "shop.localhost", path, headers });
      sent++;
      // Front edges report their requests a moment later.
      all = await until(
        () => platform.api("GET", "/v1/projects/shop/logs"),
        ({ json }) => json.items.length === sent,
      );
    }
    assert.deepEqual(
      all.json.items.map((entry: { path: string; status: number }) => [entry.path, entry.status]),
      [["/", 200], ["/missing?x=1", 404], ["/", 200], ["/other", 404]],
    );
    const [first] = all.json.items;
    assert.deepEqual(
      [first.deploymentId, first.method, first.host, first.bytes, first.ip],
      [live.id, "GET", "shop.localhost", 4, "127.0.0.1"],
    );
    const found = await platform.api("GET", "/v1/projects/shop/logs?search=AGENT/missing");
    assert.equal(found.json.items.length, 1);
    const last = await platform.api("GET", "/v1/projects/shop/logs?limit=3");
    assert.equal(last.json.items[0].path, "/missing?x=1");
    const before = await platform.api(
      "GET",
      `/v1/projects/shop/logs?limit=3&cursor=${last.json.nextCursor}`,
    );
    assert.deepEqual([before.json.items.length, before.json.nextCursor], [1, null]);
    const future = new Date(Date.now() + 60_000).toISOString();
    const none = await platform.api("GET", `/v1/projects/shop/logs?since=${future}`);
    assert.deepEqual(none.json.items, []);
    const other = `/v1/projects/shop/logs?deploymentId=${crypto.randomUUID()}`;
    assert.deepEqual((await platform.api("GET", other)).json.items, []);
    assert.equal((await platform.api("GET", "/v1/projects/shop/logs?cursor=x")).status, 400);
  }));

Deno.test("logs can be followed, and the stream ends when the platform stops", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "index.html": "home" } });
    const url = `http://127.0.0.1:${platform.port}/v1/projects/shop/logs/stream?search=wanted`;
    const response = await fetchStream(url, { headers: { authorization: `Bearer ${TOKEN}` } });
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await reader.read()).value, ": open\n\n");
    await platform.get("shop.localhost", "/not-asked-for");
    await platform.get("shop.localhost", "/wanted");
    const event = (await reader.read()).value ?? "";
    checkEvent(url, JSON.parse(/^data: (.*)$/m.exec(event)![1]!));
    assert.match(event, /^event: log\nid: .+\ndata: \{.*"path":"\/wanted".*\}\n\n$/);
    await platform.shutdown();
    assert.equal((await reader.read()).done, true);
  }));

Deno.test("following an environment's logs includes deployments that are created later", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { prod: true, files: { "index.html": "one" } });
    const url = `http://127.0.0.1:${platform.port}/v1/projects/shop/logs/stream` +
      "?environment=production";
    const response = await fetchStream(url, { headers: { authorization: `Bearer ${TOKEN}` } });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await reader.read()).value, ": open\n\n");
    const preview = await deploy(platform, "shop", {
      prod: false,
      files: { "index.html": "preview" },
    });
    await platform.get(new URL(preview.url).hostname, "/preview");
    const later = await deploy(platform, "shop", { prod: true, files: { "index.html": "two" } });
    await platform.get("shop.localhost", "/later");
    const event = (await reader.read()).value ?? "";
    const entry = JSON.parse(/^data: (.*)$/m.exec(event)![1]!);
    assert.deepEqual([entry.path, entry.deploymentId], ["/later", later.id]);
    await reader.cancel();
  }));

Deno.test("logs can be filtered and counted by request fields in the API, the CLI and pages", () =>
  withDashboard(async ({ api, own, ada, viewer, platform }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    const live = await deploy(own, "shop", { files: { "index.html": "home", "api/a.txt": "a" } });
    for (const path of ["/", "/gone?x=1", "/api/a.txt", "/api/none", "/"]) {
      await rawRequest(platform.port, { host: "shop.localhost", path });
    }
    await rawRequest(platform.port, { host: "shop.localhost", path: "/", method: "POST" });
    const at = "/v1/projects/shop/logs";
    const count = async (query: string) => (await api("GET", `${at}?${query}`)).json.items.length;
    // Front edges report their requests a moment later.
    const { items: [first] } = await until(
      async () => (await api("GET", at)).json,
      ({ items }) => items.length === 6,
    );
    const rows = {
      "status=404": 2,
      "status=4xx&method=get": 2,
      "path=/": 3,
      "path=/api/*": 2,
      "path=/api": 0,
      "host=shop.localhost": 6,
      "host=other.localhost": 0,
      "method=POST": 1,
      "minDurationMs=600000": 0,
      "environment=production": 6,
      "environment=preview": 0,
      [`requestId=${first.requestId}`]: 1,
      [`until=${first.time}`]: 0,
      [`deploymentId=${live.id}`]: 6,
    };
    for (const [query, wanted] of Object.entries(rows)) {
      assert.equal(await count(query), wanted, query);
    }
    await api("GET", `${at}?status=6xx`, undefined, 400);
    await api("GET", `${at}?environment=nowhere`, undefined, 404);
    const { json: summary } = await api("GET", `${at}/summary?environment=production`);
    assert.deepEqual([summary.entries, summary.isComplete], [6, true]);
    assert.deepEqual(summary.facets.path[0], { value: "/", count: 3 });
    const steps: readonly { readonly entries: number }[] = summary.steps;
    assert.equal(steps.reduce((sum, { entries }) => sum + entries, 0), 6);

    const { json: { key } } = await api("POST", "/v1/api-keys", { name: "cli", role: "viewer" });
    const listed = async (...flags: string[]) => {
      const { entries } = await runTool(["logs", "--project-id", "shop", ...flags], {
        port: platform.port,
        home: platform.dataDir,
        env: { SVC_TOKEN: key },
      });
      return entries.map(({ path }: { path: string }) => path);
    };
    assert.deepEqual(await listed("--status", "404", "--environment", "production"), [
      "/gone?x=1",
      "/api/none",
    ]);
    assert.deepEqual(await listed("--path", "/api/*", "--method", "get", "--status", "2XX"), [
      "/api/a.txt",
    ]);
    assert.deepEqual(await listed("--request", first.requestId, "--host", "shop.localhost"), ["/"]);
    assert.deepEqual(await listed("--slower-than", "600000"), []);
    assert.deepEqual(await listed("--until", first.time), []);

    const page = "/workspaces/acme/projects/shop/logs";
    const found = await ada.open(`${page}?status=404&counts=1`);
    assert.match(found.html, /\/gone\?x=1/);
    assert.doesNotMatch(found.html, /GET shop\.localhost\/api\/a\.txt/);
    assert.match(found.html, /Path \(2\)/);
    assert.match((await ada.open(`${page}?status=much`)).html, /Must be a status such as 404/);
    const file = await ada.open(`${page}/lines.ndjson?path=/api/*`);
    const lines = file.html.trim().split("\n").map((line) => JSON.parse(line).path);
    assert.deepEqual(lines, ["/api/a.txt", "/api/none"]);
    const entry = new URLSearchParams({ at: first.time, request: first.requestId });
    for (const person of [ada, viewer]) {
      const shown = await person.open(`${page}/entry?${entry}`);
      assert.equal(shown.status, 200, shown.html);
      assert.match(shown.html, new RegExp(`/deployments/${live.id}`));
      assert.match(shown.html, /Explain the rules/);
    }
    assert.equal((await ada.open(`${page}/entry?at=2020-01-01T00:00:00Z`)).status, 404);
    assert.equal((await ada.open(`${page}/entry?at=x`)).status, 404);
  }));
