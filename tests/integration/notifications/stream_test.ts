/** Reads the live stream with the unmodified `eventsource` client. */
import assert from "node:assert/strict";
import { unusedPort } from "../../../src/lib/unused_port.ts";
import { Browser, PASSWORD, signUpWithWorkspace } from "../../helpers/browser.ts";
import { follow, Follower, trigger } from "../../helpers/inbox_stream.ts";
import { fetchStream } from "../../helpers/contract.ts";
import { start, TOKEN, withPlatform } from "../../helpers/platform.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

Deno.test("the stream reports new, read, archived and deleted notifications, with counts", () =>
  withPlatform(async (platform) => {
    const url = `http://127.0.0.1:${platform.port}/v1/notifications/stream`;
    const raw = await fetchStream(url, { headers: { authorization: `Bearer ${TOKEN}` } });
    assert.equal(raw.headers.get("content-type"), "text/event-stream");
    assert.equal(raw.headers.get("x-accel-buffering"), "no");
    await raw.body?.cancel();

    const follower = follow(platform);
    assert.deepEqual(await follower.next().then(({ type, total }) => [type, total]), ["counts", 0]);
    await trigger(platform, "deployment.live", { project: "blog" });
    const arrived = await follower.next();
    assert.deepEqual([arrived.type, arrived.title], ["notification", "blog is live"]);
    assert.equal((await follower.next()).total, 1);
    await platform.api("POST", `/v1/notifications/${arrived.id}/read`);
    assert.deepEqual(await follower.next(), { type: "read", id: arrived.id });
    await follower.next("counts");
    await platform.api("POST", `/v1/notifications/${arrived.id}/archive`);
    assert.deepEqual(await follower.next(), { type: "archived", id: arrived.id });
    assert.equal((await follower.next("counts")).total, 0);
    await platform.api("DELETE", "/v1/notifications/delete-all-archived");
    assert.deepEqual(await follower.next(), { type: "deleted", id: null });
    follower.close();
  }));

Deno.test("a reader that reconnects gets everything that it has missed, once and in order", async () => {
  await inTestFolder(async (dataDir) => {
    const first = await start(dataDir, { port: unusedPort() });
    const follower = follow(first);
    await follower.next("counts");
    await trigger(first, "deployment.live", { project: "a" });
    assert.equal((await follower.next("notification")).title, "a is live");
    await first.shutdown();
    const between = await start(dataDir);
    await trigger(between, "deployment.live", { project: "b" });
    await trigger(between, "deployment.live", { project: "c" });
    await between.shutdown();
    const second = await start(dataDir, { port: first.port });
    assert.equal((await follower.next("notification")).title, "b is live");
    assert.equal((await follower.next("notification")).title, "c is live");
    await trigger(second, "deployment.live", { project: "d" });
    assert.equal((await follower.next("notification")).title, "d is live");
    follower.close();
    await second.shutdown();
  });
});

Deno.test("a stream ends when its credential is revoked", () =>
  withPlatform(async (platform) => {
    const { browser } = await signUpWithWorkspace(platform, "ada");
    const key = await browser.send("POST", "/v1/api-keys", {
      json: { name: "watcher" },
      workspace: "ada",
    });
    const open = (headers: Record<string, string>) =>
      fetchStream(`http://127.0.0.1:${platform.port}/v1/notifications/stream`, { headers });
    const byKey = await open({ authorization: `Bearer ${key.json.key}` });
    const other = new Browser(platform);
    await other.signIn("ada@example.com");
    const bySession = await open({ cookie: other.cookie });
    await browser.send("DELETE", `/v1/api-keys/${key.json.id}`, { workspace: "ada" });
    await byKey.text();
    const json = { current: PASSWORD, next: "another good password" };
    assert.equal((await browser.send("POST", "/v1/account/password", { json })).status, 204);
    await bySession.text();
  }));

Deno.test("a stream with an unknown credential is permanently refused", () =>
  withPlatform(async (platform) => {
    const { browser } = await signUpWithWorkspace(platform, "ada");
    const { json } = await browser.send("POST", "/v1/api-keys", {
      json: { name: "watcher" },
      workspace: "ada",
    });
    const follower = follow(platform, json.key);
    await follower.next("counts");
    follower.close();
    await browser.send("DELETE", `/v1/api-keys/${json.id}`, { workspace: "ada" });
    assert.equal(await follow(platform, json.key).refused, 401);
    const stranger = new Follower(`http://127.0.0.1:${platform.port}`, {});
    assert.equal(await stranger.refused, 401);
  }));
