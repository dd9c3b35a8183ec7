/** Tests every endpoint of the inbox over HTTP, and who can see which notifications. */
import assert from "node:assert/strict";
import { EVENT_NAMES, EVENTS } from "../../../src/contract/events.ts";
import { Browser, join, PASSWORD, signUp, signUpWithWorkspace } from "../../helpers/browser.ts";
import { follow, Follower, titlesOf, trigger } from "../../helpers/inbox_stream.ts";
import {
  createProject,
  deploy,
  start,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";

const list = (platform: TestPlatform, query = "") =>
  platform.api("GET", `/v1/notifications${query}`);

Deno.test("every event can be raised and reaches the inbox if preferences and priority allow it", () =>
  withPlatform(async (platform) => {
    for (const event of EVENT_NAMES) {
      const { json } = await trigger(platform, event);
      const { category, priority } = EVENTS[event];
      assert.deepEqual([json.event, json.category, json.priority], [event, category, priority]);
    }
    const { json } = await list(platform, "?limit=100");
    const LOWEST = { Deployment: 2, Health: 1, Billing: 2, Security: 3, System: 2 };
    const RANKS = ["CRITICAL", "HIGH", "NORMAL", "LOW"];
    const expected = EVENT_NAMES.filter((event) =>
      RANKS.indexOf(EVENTS[event].priority) <= LOWEST[EVENTS[event].category]
    ).toReversed();
    assert.deepEqual(json.items.map((item: { event: string }) => item.event), expected);
    assert.equal(json.total, expected.length);
    assert.deepEqual([json.limit, json.offset], [100, 0]);
    for (const item of json.items) {
      assert.ok(item.title !== "" && item.body !== "");
      assert.deepEqual([item.read, item.archived], [false, false]);
      assert.ok(item.actionUrl === null || URL.canParse(item.actionUrl));
    }
  }));

Deno.test("lists can be filtered, paginated and counted, and items archived and deleted", () =>
  withPlatform(async (platform) => {
    for (const project of ["a", "b", "c"]) {
      await trigger(platform, "deployment.live", { project });
      await trigger(platform, "health.check_failed", { project });
    }
    assert.deepEqual(titlesOf(await list(platform, "?category=Deployment")), [
      "c is live",
      "b is live",
      "a is live",
    ]);
    const page = await list(platform, "?priority=HIGH&limit=1&offset=1");
    assert.deepEqual([titlesOf(page), page.json.total], [["b failed its health check"], 3]);
    for (const query of ["?limit=0", "?limit=101", "?offset=-1", "?category=x", "?archived=1"]) {
      assert.equal((await list(platform, query)).status, 400, query);
    }

    const { items } = (await list(platform)).json;
    const [newest, second] = items.map(({ id }: { id: string }) => id);
    for (let time = 0; time < 2; time++) {
      const read = await platform.api("POST", `/v1/notifications/${newest}/read`);
      assert.deepEqual([read.status, read.json.read, read.json.id], [200, true, newest]);
      const archived = await platform.api("POST", `/v1/notifications/${second}/archive`);
      assert.deepEqual([archived.status, archived.json.archived], [200, true]);
    }
    const counts = await platform.api("GET", "/v1/notifications/inbox-count");
    assert.deepEqual([counts.json.total, counts.json.unread], [5, 4]);
    assert.deepEqual(counts.json.categories.Health, { total: 3, unread: 2 });
    assert.equal((await list(platform, "?unreadOnly=true")).json.total, 4);
    assert.deepEqual(titlesOf(await list(platform, "?archived=true")), ["c is live"]);

    const all = await platform.api("POST", "/v1/notifications/archive-all");
    assert.deepEqual(all.json, { archived: 5 });
    const none = await platform.api("GET", "/v1/notifications/has-unread");
    assert.deepEqual(none.json, { hasUnread: false });
    assert.equal((await list(platform, "?archived=true")).json.total, 6);

    for (let time = 0; time < 2; time++) {
      assert.equal((await platform.api("DELETE", `/v1/notifications/${newest}`)).status, 204);
    }
    assert.equal((await platform.api("POST", `/v1/notifications/${newest}/read`)).status, 404);
    await trigger(platform, "deployment.live", { project: "d" });
    const deleted = await platform.api("DELETE", "/v1/notifications/delete-all-archived");
    assert.deepEqual(deleted.json, { deleted: 5 });
    const again = await platform.api("DELETE", "/v1/notifications/delete-all-archived");
    assert.deepEqual(again.json, { deleted: 0 });
    assert.deepEqual(titlesOf(await list(platform)), ["d is live"]);
    const readAll = await platform.api("POST", "/v1/notifications/read-all");
    assert.deepEqual(readAll.json, { read: 1 });
  }));

Deno.test("an inbox survives a restart, and events with the same key arrive only once", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-inbox-" });
  const raise = (platform: TestPlatform) =>
    platform.api("POST", "/v1/events", {
      json: { event: "deployment.live", data: { project: "shop" }, key: "once" },
    });
  try {
    const first = await start(dataDir);
    const { json: one } = await raise(first);
    await first.shutdown();
    const second = await start(dataDir);
    const { json: same } = await raise(second);
    assert.equal(same.id, one.id);
    assert.deepEqual(titlesOf(await list(second)), ["shop is live"]);
    await second.shutdown();
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("each stage of a deployment causes one notification", () =>
  withPlatform(async (platform) => {
    const change = { category: "Deployment", minimumPriority: "LOW" };
    const path = "/v1/notifications/preferences/category";
    await platform.api("PUT", path, { json: change });
    await createProject(platform, "shop");
    const one = await deploy(platform, "shop", { files: { "index.html": "1" } });
    const two = await deploy(platform, "shop", { files: { "index.html": "2" } });
    await platform.api("POST", `/v1/deployments/${two.id}/activate`);
    await platform.api("POST", "/v1/projects/shop/rollback", { json: {} });
    await platform.api("POST", `/v1/deployments/${two.id}/stop`);
    await trigger(platform, "deployment.live", { project: "last" });
    const { items } = (await list(platform)).json;
    assert.deepEqual(
      items.map(({ event, data }: { event: string; data: { deploymentId?: string } }) => [
        event,
        data.deploymentId,
      ]),
      [
        ["deployment.live", undefined],
        ["deployment.stopped", two.id],
        ["deployment.rolled_back", two.id],
        ["deployment.live", two.id],
        ["deployment.started", two.id],
        ["deployment.live", one.id],
        ["deployment.started", one.id],
      ],
    );
    assert.equal(items[3].actionUrl, `${two.url}/`);
    assert.equal(items[2].actionUrl, `http://shop.localhost:${platform.port}/`);
  }));

Deno.test("a security event reaches only the account that it concerns", () =>
  withPlatform(async (platform) => {
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    const bob = await signUp(platform, "bob");
    await join(ada, bob, { workspace: "ada", role: "viewer" });
    const follower = new Follower(`http://127.0.0.1:${platform.port}`, { cookie: ada.cookie });
    await follower.next("counts");
    const change = { current: PASSWORD, next: "another battery" };
    const changed = await ada.send("POST", "/v1/account/password", { json: change });
    assert.ok(changed.status < 300, JSON.stringify(changed.json));
    const told = await follower.next("notification");
    assert.equal(told.event, "security.password_changed");
    follower.close();
    const { json } = await bob.send("GET", "/v1/notifications?category=Security");
    const events = json.items.map(({ event }: { event: string }) => event);
    assert.ok(!events.includes("security.password_changed"));
  }));

Deno.test("members get events from their workspaces, but others and former members do not", () =>
  withPlatform(async (platform) => {
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    const { browser: bob } = await signUpWithWorkspace(platform, "bob");
    const carl = await signUp(platform, "carl");
    await join(ada, carl, { workspace: "ada", role: "viewer" });
    await join(bob, carl, { workspace: "bob", role: "viewer" });
    const raise = (by: Browser, workspace: string, project: string) =>
      by.send("POST", "/v1/events", {
        json: { event: "deployment.live", data: { project } },
        workspace,
      });
    assert.equal((await raise(carl, "ada", "x")).status, 403);
    await raise(ada, "ada", "one");
    await raise(bob, "bob", "two");
    const seen = async (by: Browser) =>
      titlesOf(await by.send("GET", "/v1/notifications?category=Deployment"));
    assert.deepEqual(await seen(ada), ["one is live"]);
    assert.deepEqual(await seen(bob), ["two is live"]);
    assert.deepEqual(await seen(carl), ["two is live", "one is live"]);

    const { json } = await ada.send("GET", "/v1/notifications?category=Deployment");
    const [{ id }] = json.items;
    for (const [method, path] of [["POST", "/read"], ["POST", "/archive"], ["DELETE", ""]]) {
      const answer = await bob.send(method!, `/v1/notifications/${id}${path}`);
      assert.deepEqual([answer.status, answer.json.code], [404, "not_found"]);
    }
    const key = await ada.send("POST", "/v1/api-keys", { json: { name: "k" }, workspace: "ada" });
    const { json: byKey } = await platform.api("GET", "/v1/notifications", {
      token: key.json.key,
    });
    assert.ok(byKey.items.every((item: { workspaceId: string }) => item.workspaceId !== null));
    assert.ok(byKey.items.some((item: { title: string }) => item.title === "one is live"));

    const { json: account } = await carl.send("GET", "/v1/account");
    await bob.send("DELETE", `/v1/members/${account.id}`, { workspace: "bob" });
    await raise(bob, "bob", "three");
    assert.deepEqual(await seen(carl), ["one is live"]);
  }));

Deno.test("preferences start with the defaults, and repeating a change has no effect", () =>
  withPlatform(async (platform) => {
    const { json: before } = await platform.api("GET", "/v1/notifications/preferences");
    assert.equal(before.categories.length, 5);
    for (let time = 0; time < 2; time++) {
      const { json } = await platform.api("PUT", "/v1/notifications/preferences/channel", {
        json: { channel: "in_app", enabled: false },
      });
      for (const { channels } of json.categories) assert.equal(channels.in_app, false);
    }
    await trigger(platform, "deployment.live");
    assert.deepEqual(titlesOf(await list(platform)), []);
    await trigger(platform, "deployment.failed");
    assert.equal((await list(platform)).json.total, 1);
    const { status, json } = await platform.api("PUT", "/v1/notifications/preferences/category", {
      json: { category: "Health", minimumPriority: "URGENT", quietHours: { start: "24:00" } },
    });
    assert.equal(status, 400);
    assert.deepEqual(json.problems.map(({ path }: { path: string }) => path), [
      "body.minimumPriority",
      "body.quietHours.start",
      "body.quietHours.end",
    ]);
  }));

Deno.test("invalid data is refused with all problems and raises no event", () =>
  withPlatform(async (platform) => {
    const json = {
      event: "billing.payment_failed",
      data: { amount: "much", currency: "euro", url: "javascript:x", extra: { deep: 1 } },
    };
    const refused = await platform.api("POST", "/v1/events", { json });
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.json.problems.map(({ path }: { path: string }) => path), [
      "body.data.amount",
      "body.data.currency",
      "body.data.url",
      "body.data.extra",
    ]);
    const follower = follow(platform);
    assert.equal((await follower.next("counts")).total, 0);
    follower.close();
  }));
