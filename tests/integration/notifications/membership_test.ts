/** A session must be able to see only its user's workspaces. */
import assert from "node:assert/strict";
import { join, signUp, signUpWithWorkspace } from "../../helpers/browser.ts";
import { fetchStream } from "../../helpers/contract.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { claimOwner, prefer, raise } from "../../helpers/notifications.ts";
import { createProject, deploy, TOKEN, withPlatform } from "../../helpers/platform.ts";

Deno.test("a removed member can no longer read the workspace's notifications", () =>
  withPlatform(async (platform) => {
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    const bob = await signUp(platform, "bob");
    const joined = await join(ada, bob, { workspace: "ada", role: "developer" });
    assert.equal(joined.status, 200);
    await ada.send("POST", "/v1/events", {
      json: { event: "deployment.live", data: { project: "shop" } },
      workspace: "ada",
    });
    const titles = async () => {
      const { json } = await bob.send("GET", "/v1/notifications");
      return json.items.map(({ title }: { title: string }) => title);
    };
    await until(titles, (found) => found.includes("shop is live"));
    const { json: listed } = await bob.send("GET", "/v1/notifications");
    const { id, actionUrl } = listed.items.find((each: { title: string }) =>
      each.title === "shop is live"
    );
    assert.match(actionUrl, /\/notifications\?category=Deployment$/);
    const { json: members } = await ada.send("GET", "/v1/members", { workspace: "ada" });
    const member = members.items.find(({ name }: { name: string }) => name === "bob");
    const removed = await ada.send("DELETE", `/v1/members/${member.userId ?? member.id}`, {
      workspace: "ada",
    });
    assert.equal(removed.status, 204);
    assert.deepEqual((await titles()).filter((title: string) => title === "shop is live"), []);
    const { json: counts } = await bob.send("GET", "/v1/notifications/inbox-count");
    assert.equal(counts.total, (await titles()).length);
    assert.equal((await bob.send("POST", `/v1/notifications/${id}/read`)).status, 404);
  }));

Deno.test("a member chooses whose deployments cause notifications", () =>
  withPlatform(async (platform) => {
    const owner = await claimOwner(platform);
    const bob = await signUp(platform, "bob");
    assert.equal((await join(owner, bob, { workspace: "default", role: "developer" })).status, 200);
    await createProject(platform, "shop");
    const titles = async () => {
      const { json } = await bob.send("GET", "/v1/notifications");
      return json.items.map(({ title }: { title: string }) => title)
        .filter((title: string) => title.endsWith("is live"));
    };
    /**
     * Triggers a deployment by the owner, and a deployment without an account. Returns Bob's
     * notifications.
     */
    const heard = async (deployments: string, last: string) => {
      await prefer(bob, { category: "Deployment", deployments });
      await deploy(platform, "shop", { files: { "index.html": last } });
      await raise(platform, "deployment.live", { project: last });
      const all = async () => (await owner.send("GET", "/v1/notifications")).json.items;
      await until(
        all,
        (items) => items.some((each: { title: string }) => each.title === `${last} is live`),
      );
      return await titles();
    };
    assert.deepEqual(await heard("none", "none"), []);
    assert.deepEqual(await heard("own", "own"), ["own is live"]);
    assert.deepEqual(await heard("all", "all"), ["all is live", "shop is live", "own is live"]);
    const wrong = await bob.send("PUT", "/v1/notifications/preferences/category", {
      json: { category: "Health", deployments: "own" },
    });
    assert.equal(wrong.status, 400);
    assert.match(JSON.stringify(wrong.json), /Only the category Deployment has this preference/);
  }));

Deno.test("a session is refused if its user is not a member of the workspace that it names", () =>
  withPlatform(async (platform) => {
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    const { browser: eve } = await signUpWithWorkspace(platform, "eve");
    for (const path of ["/v1/notifications", "/v1/notifications/preferences", "/v1/account"]) {
      for (const workspace of ["eve", "nobody"]) {
        const { status } = await ada.send("GET", path, { workspace });
        assert.equal(status, 403, `${path} ${workspace}`);
      }
      assert.equal((await ada.send("GET", path, { workspace: "ada" })).status, 200, path);
      assert.equal((await eve.send("GET", path)).status, 200, path);
    }
  }));

Deno.test("the first message in a stream has an ID from which a client can resume", () =>
  withPlatform(async (platform) => {
    const url = `http://127.0.0.1:${platform.port}/v1/notifications/stream`;
    const authorization = `Bearer ${TOKEN}`;
    const firstId = async (headers: Record<string, string> = {}) => {
      const response = await fetchStream(url, { headers: { authorization, ...headers } });
      const reader = response.body!.getReader();
      const decoder = new TextDecoder();
      let text = "";
      while (!text.includes("event: counts")) text += decoder.decode((await reader.read()).value);
      await reader.cancel();
      return { text, id: /event: counts\nid: (.+)\n/.exec(text)?.[1] };
    };
    const { id } = await firstId();
    assert.match(id ?? "", /^[0-9a-f-]{36}$/);
    await platform.api("POST", "/v1/events", {
      json: { event: "deployment.live", data: { project: "gap" } },
    });
    await until(
      async () => (await platform.api("GET", "/v1/notifications")).json.items.length,
      (count) => count > 0,
    );
    const missed = await firstId({ "last-event-id": id! });
    assert.match(missed.text, /gap is live/);
    assert.ok(missed.id! > id!);
  }));

Deno.test("a push endpoint with an invalid host is refused", () =>
  withPlatform(async (platform) => {
    const keys = { p256dh: btoa("\x04".padEnd(65, "x")).replaceAll("=", ""), auth: "A".repeat(22) };
    for (const host of [`${"a.".repeat(130)}example`, `${"a".repeat(64)}.example`]) {
      const { status, json } = await platform.api("POST", "/v1/notifications/push-subscription", {
        json: { endpoint: `https://${host}/push`, keys },
      });
      assert.equal(status, 400, host);
      assert.match(JSON.stringify(json), /at most 253 characters/);
    }
  }));
