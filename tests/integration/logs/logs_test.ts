import assert from "node:assert/strict";
import { checkEvent, fetchStream } from "../../helpers/contract.ts";
import { createProject, deploy, rawRequest, TOKEN, withPlatform } from "../../helpers/platform.ts";

Deno.test("logs show the requests of a project, oldest first, filtered and in pages", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const live = await deploy(platform, "shop", { files: { "index.html": "home" } });
    for (const path of ["/", "/missing?x=1", "/", "/other"]) {
      const headers = { "user-agent": `agent${path}` };
      await rawRequest(platform.port, { host: "shop.localhost", path, headers });
    }
    const all = await platform.api("GET", "/v1/projects/shop/logs");
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

Deno.test("logs can be followed, and end when the platform stops", () =>
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
