import assert from "node:assert/strict";
import { BOT_TOKEN, serveBotApi, type TestBotApi } from "../../helpers/bot_api.ts";
import { type Browser, signUp } from "../../helpers/browser.ts";
import { claimOwner, prefer, raise } from "../../helpers/notifications.ts";
import { type TestPlatform, withPlatform } from "../../helpers/platform.ts";
import { until } from "../../../src/lib/_test_until.ts";

async function link(browser: Browser, api: TestBotApi, chatId: number): Promise<string> {
  const { status, json } = await browser.send("POST", "/v1/account/messenger/link");
  assert.equal(status, 201, JSON.stringify(json));
  const url = new URL(json.url);
  assert.equal(`${url.origin}${url.pathname}`, "https://t.me/svc_test_bot");
  const code = url.searchParams.get("start")!;
  assert.match(code, /^[\w-]{32}$/);
  api.write(chatId, `/start ${code}`);
  return code;
}

function withBot(
  test: (platform: TestPlatform, api: TestBotApi) => Promise<void>,
): () => Promise<void> {
  return async () => {
    await using api = serveBotApi();
    await withPlatform(async (platform) => {
      await test(platform, api);
      const told = platform.logged.join("\n");
      assert.ok(!told.includes(BOT_TOKEN), `the log does not contain the token: ${told}`);
    }, { bot: { token: BOT_TOKEN, api: api.url } });
  };
}

const links = async (browser: Browser) =>
  (await browser.send("GET", "/v1/account/messenger")).json.items;

Deno.test(
  "a chat is linked with a single-use code, and gets what the preferences allow",
  withBot(async (platform, api) => {
    const owner = await claimOwner(platform);
    const code = await link(owner, api, 7);
    const [hello] = await api.until(7, 1);
    assert.match(hello!.text, /^Linked to the account <b>Olga<\/b> on localhost:\d+\./);
    api.write(8, `/start ${code}`);
    const [late] = await api.until(8, 1);
    assert.match(late!.text, /has expired or was already used/);
    const [known] = await links(owner);
    assert.deepEqual([known.name, known.username, known.status], ["Ada <L>", "ada7", "active"]);

    await raise(platform, "deployment.live", { project: "shop" });
    await raise(platform, "deployment.failed", { project: "a <b>&amp; shop", error: "</b><a" });
    const messages = await api.until(7, 2);
    assert.equal(
      messages.length,
      2,
      "only the critical event is sent because the messenger is off by default",
    );
    assert.match(messages[1]!.text, /a &lt;b&gt;&amp;amp; shop/);
    await prefer(owner, { category: "Deployment", channels: { messenger: true } });
    await raise(platform, "deployment.live", { project: "shop" });
    await api.until(7, 3);
    await raise(platform, "deployment.started", { project: "shop" });
    await raise(platform, "deployment.stopped", { project: "shop" });
    const all = await api.until(7, 4);
    assert.match(all[3]!.text, /stopped/i, "LOW is below the minimum");
    assert.equal(api.sent.filter(({ chatId }) => chatId === 8).length, 1);
  }),
);

Deno.test(
  "the chat stops, starts again, and is unlinked on the page",
  withBot(async (platform, api) => {
    const owner = await claimOwner(platform);
    await link(owner, api, 7);
    await api.until(7, 1);
    api.write(7, "/stop");
    await api.until(7, 2);
    assert.equal((await links(owner))[0].status, "stopped");
    await raise(platform, "deployment.failed", {});
    api.write(7, "what is this?");
    const [, , help] = await api.until(7, 3);
    assert.match(help!.text, /linked, but notifications are off/);
    api.write(7, "/start");
    await api.until(7, 4);
    await raise(platform, "deployment.failed", { project: "shop" });
    const messages = await api.until(7, 5);
    assert.match(messages[4]!.text, /shop/);
    const [{ id }] = await links(owner);
    assert.equal((await owner.send("DELETE", `/v1/account/messenger/${id}`)).status, 204);
    assert.equal((await owner.send("DELETE", `/v1/account/messenger/${id}`)).status, 404);
    api.write(7, "/help");
    const [, , , , , stranger] = await api.until(7, 6);
    assert.match(stranger!.text, /not linked to an account/);
  }),
);

Deno.test(
  "a chat that blocks the bot is shown as blocked and gets no more messages",
  withBot(async (platform, api) => {
    const owner = await claimOwner(platform);
    await link(owner, api, 7);
    await api.until(7, 1);
    api.blocked.add(7);
    await raise(platform, "deployment.failed", {});
    await until(() => links(owner), ([first]) => first.status === "blocked");
    const letters = await until(
      async () => (await owner.send("GET", "/v1/notifications/dead-letters")).json.items,
      (items) => items.length === 1,
    );
    assert.match(letters[0].reason, /403: Forbidden: bot was blocked by the user/);
    api.blocked.clear();
    await raise(platform, "deployment.failed", {});
    api.write(7, "/start");
    const messages = await api.until(7, 2);
    assert.match(messages[1]!.text, /gets your notifications/);
  }),
);

Deno.test(
  "a chat cannot be taken from the account to which it belongs",
  withBot(async (platform, api) => {
    const owner = await claimOwner(platform);
    await link(owner, api, 7);
    await api.until(7, 1);
    const eve = await signUp(platform, "eve");
    await link(eve, api, 7);
    const [, refusal] = await api.until(7, 2);
    assert.match(refusal!.text, /linked to another account/);
    assert.equal((await links(owner)).length, 1);
    assert.deepEqual(await links(eve), []);
  }),
);

Deno.test(
  "a test message reports its result",
  withBot(async (platform, api) => {
    const owner = await claimOwner(platform);
    const test = () =>
      owner.send("POST", "/v1/notifications/test", { json: { channel: "messenger" } });
    const none = await test();
    assert.deepEqual([none.status, none.json.error], [
      409,
      "No chat is linked to your account",
    ]);
    await link(owner, api, 7);
    await api.until(7, 1);
    api.tooMany.push(3);
    const busy = (await test()).json;
    assert.equal(busy.delivered, false);
    assert.match(busy.results[0].detail, /429: Too Many Requests/);
    const done = (await test()).json;
    assert.deepEqual([done.delivered, done.results[0].receiver], [true, "Ada <L>"]);
  }),
);

Deno.test("without a bot, the messenger is not offered", () =>
  withPlatform(async (platform) => {
    const owner = await claimOwner(platform);
    const { status, json } = await owner.send("POST", "/v1/account/messenger/link");
    assert.deepEqual([status, json.code], [409, "conflict"]);
    assert.equal((await owner.send("GET", "/v1/account/messenger")).json.bot, null);
  }));
