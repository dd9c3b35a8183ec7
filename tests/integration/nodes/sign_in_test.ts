/** Sends the steps of a sign-in to different nodes, and spreads guesses across nodes. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { authenticatorCode } from "../../helpers/authenticator.ts";
import { BOT_TOKEN, serveBotApi } from "../../helpers/bot_api.ts";
import { Browser, enrol, signUp } from "../../helpers/browser.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { type Page, Visitor } from "../../helpers/page_visitor.ts";
import { stillClock, type TestPlatform } from "../../helpers/platform.ts";

const MESSENGER = "/sign-in/messenger";
const CHAT = 7;
/** Time within which a node usually receives the other nodes' counts, in milliseconds. */
const PAUSE_MS = 1000;

const found = ({ html }: Page, pattern: RegExp): string => {
  const match = pattern.exec(html);
  assert.ok(match, html);
  return match[1]!;
};

/**
 * Tries incorrect passwords with pauses in between. Returns whether an attempt is refused with 429.
 */
async function refusesWithin(node: TestPlatform, attempts: number): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    await delay(attempt * PAUSE_MS);
    const { status } = await new Browser(node).signIn("ada@example.com", "wrong password");
    if (status === 429) return true;
    assert.equal(status, 401);
  }
  return false;
}

Deno.test({
  name: "people can use different nodes for password and code, and failures add up",
  ignore: NO_POSTGRES !== undefined,
  async fn(t) {
    await using cluster = await Cluster.open();
    const options = { now: stillClock() };
    const [a, b] = [
      await cluster.startInProcess("a", options),
      await cluster.startInProcess("b", options),
    ];
    const { secret } = await enrol(await signUp(a, "ada"));

    await t.step("the second step works once, on the other node", async () => {
      const { json } = await new Browser(a).signIn("ada@example.com");
      assert.equal(json.status, "two_factor_required");
      const step = { json: { challenge: json.challenge, code: authenticatorCode(secret) } };
      const browser = new Browser(b);
      assert.equal((await browser.send("POST", "/v1/sign-in/two-factor", step)).status, 200);
      assert.equal((await browser.send("GET", "/v1/account")).status, 200);
      const again = await new Browser(a).send("POST", "/v1/sign-in/two-factor", step);
      assert.equal(again.status, 401, "a used challenge is refused");
    });

    await t.step(
      "after five wrong passwords, a person must wait on every node",
      async () => {
        const nodes = [a, b];
        for (let count = 0; count < 5; count++) {
          const node = new Browser(nodes[count % 2]!);
          assert.equal((await node.signIn("ada@example.com", "wrong password")).status, 401);
        }
        for (const node of nodes) {
          // A node receives the other node's count only after a moment. Until then, it would allow
          // two more attempts.
          assert.ok(await refusesWithin(node, 2));
          const right = await new Browser(node).signIn("ada@example.com");
          assert.equal(right.status, 429, "the correct password must wait, too");
        }
      },
    );
  },
});

Deno.test({
  name: "a messenger sign-in started on one node continues when another gets the chat's message",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using api = serveBotApi();
    await using cluster = await Cluster.open();
    const bot = { token: BOT_TOKEN, api: api.url };
    const leader = await cluster.start("a", { bot, nodeId: "a" });
    const asked = await cluster.start("b", { bot, nodeId: "b" });
    assert.ok((await leader.api("GET", "/v1/nodes")).json.items[0].roles.includes("bot"));
    const ada = new Visitor(asked);
    const waiting = await ada.submit(await ada.open("/sign-up"), MESSENGER);
    api.write(CHAT, `/start ${found(waiting, /\?start=([\w-]{32})"/)}`);
    await api.until(CHAT, 1);
    api.tap(CHAT, found(waiting, /Your number is (\d\d)</));
    await until(() => api.edited.length === 1);
    assert.match(api.edited[0]!, /^Signed in to localhost/);
    const inside = await ada.submit(await ada.open(MESSENGER), `${MESSENGER}/account`, {
      name: "Ada",
    });
    assert.equal(inside.path, "/workspaces");
  },
});
