import assert from "node:assert/strict";
import { BOT_TOKEN, serveBotApi, type TestBotApi } from "../../helpers/bot_api.ts";
import { enrol } from "../../helpers/browser.ts";
import { claimOwner } from "../../helpers/notifications.ts";
import { formsOf, type Page, PASSWORD, Visitor } from "../../helpers/page_visitor.ts";
import { type TestPlatform, withPlatform } from "../../helpers/platform.ts";
import { authenticatorCode } from "../../helpers/authenticator.ts";
import { until } from "../../../src/lib/_test_until.ts";

const PATH = "/sign-in/messenger";

function withBot(
  test: (platform: TestPlatform, api: TestBotApi) => Promise<void>,
): () => Promise<void> {
  return async () => {
    await using api = serveBotApi();
    await withPlatform((platform) => test(platform, api), {
      bot: { token: BOT_TOKEN, api: api.url },
    });
  };
}

const codeOf = ({ html }: Page): string => /\?start=([\w-]{32})"/.exec(html)![1]!;
const numberOf = ({ html }: Page): string => /Your number is (\d\d)</.exec(html)![1]!;

/** Matches messages with numbers to choose from, because notifications also arrive in the chat. */
const questionsOf = (api: TestBotApi, chat: number) =>
  api.sent.filter(({ chatId, buttons }) => chatId === chat && buttons.length === 4);

/** Starts on a sign-in page and opens the bot's link in a chat. Returns the waiting page. */
async function begin(
  visitor: Visitor,
  api: TestBotApi,
  from: { readonly chatId: number; readonly door?: string },
): Promise<Page> {
  const door = await visitor.open(from.door ?? "/sign-in");
  const waiting = await visitor.submit(door, PATH);
  const before = questionsOf(api, from.chatId).length;
  api.write(from.chatId, `/start ${codeOf(waiting)}`);
  await until(() => questionsOf(api, from.chatId).length, (count) => count === before + 1);
  return waiting;
}

async function tap(api: TestBotApi, chatId: number, label: string): Promise<string> {
  const before = api.edited.length;
  api.tap(chatId, label);
  await until(() => api.edited.length > before);
  return api.edited.at(-1)!;
}

/** Creates an account with the messenger. */
async function signUp(visitor: Visitor, api: TestBotApi, chatId: number): Promise<Page> {
  const waiting = await begin(visitor, api, { chatId, door: "/sign-up?next=%2Faccount" });
  await tap(api, chatId, numberOf(waiting));
  const newcomer = await visitor.open(`${PATH}?next=%2Faccount`);
  return await visitor.submit(newcomer, `${PATH}/account`);
}

Deno.test(
  "a new user creates an account with the messenger, and later signs in with it",
  withBot(async (platform, api) => {
    const ada = new Visitor(platform);
    const waiting = await begin(ada, api, { chatId: 7, door: "/sign-up" });
    assert.match(waiting.headers.get("refresh")!, /^3; url=\/sign-in\/messenger$/);
    const [question] = await api.until(7, 1);
    assert.match(question!.text, /<b>Sign in to localhost:\d+\?<\/b>\n\n[^]*127\.0\.0\.1/);
    assert.equal(question!.buttons.length, 4);
    assert.match(
      (await ada.open(PATH)).html,
      /Your number is/,
      "the page keeps showing the number until the button is tapped",
    );
    assert.match(await tap(api, 7, numberOf(waiting)), /^Signed in to localhost/);
    const newcomer = await ada.open(PATH);
    assert.equal(formsOf(newcomer.html)[0]!.fields.name, "Ada <L>");
    const inside = await ada.submit(newcomer, `${PATH}/account`, { name: "Ada" });
    assert.equal(inside.path, "/workspaces");

    const api2 = await fetch(`http://127.0.0.1:${platform.port}/v1/account`, {
      headers: { cookie: ada.cookie },
    });
    const account = await api2.json();
    assert.deepEqual([account.name, account.email, account.signUpMethod], [
      "Ada",
      null,
      "messenger",
    ]);
    const preferences = await fetch(
      `http://127.0.0.1:${platform.port}/v1/notifications/preferences`,
      { headers: { cookie: ada.cookie } },
    );
    const { categories } = await preferences.json();
    assert.deepEqual(categories[0].channels, {
      email: false,
      in_app: true,
      messenger: true,
      push: false,
    });

    const again = new Visitor(platform);
    const second = await begin(again, api, { chatId: 7 });
    await tap(api, 7, numberOf(second));
    assert.equal((await again.open(PATH)).path, "/workspaces");
    assert.match((await again.open("/account")).html, /Ada/);
    assert.match((await new Visitor(platform).open(PATH)).html, /This sign-in expired/);
  }),
);

Deno.test(
  "a forwarded link does not sign anyone in: the number is wrong or the person declines",
  withBot(async (platform, api) => {
    const ada = new Visitor(platform);
    await signUp(ada, api, 7);
    for (const refuse of ["wrong", "It wasn't me"]) {
      const eve = new Visitor(platform);
      const waiting = await begin(eve, api, { chatId: 7 });
      const { buttons } = questionsOf(api, 7).at(-1)!;
      const wrong = buttons.find(({ text }) => /^\d/.test(text) && text !== numberOf(waiting))!;
      await tap(api, 7, refuse === "wrong" ? wrong.text : refuse);
      const over = await eve.open(PATH);
      assert.equal(over.status, 403);
      assert.match(over.html, /Sign-in failed/);
    }
    const activity = await ada.open("/account/activity");
    assert.match(activity.html, /rejected in the chat/);
  }),
);

Deno.test(
  "an attempt belongs to one browser and one chat, and works once",
  withBot(async (platform, api) => {
    await signUp(new Visitor(platform), api, 7);
    const ada = new Visitor(platform);
    const waiting = await begin(ada, api, { chatId: 7 });
    api.write(8, `/start ${codeOf(waiting)}`);
    const [used] = await api.until(8, 1);
    assert.match(used!.text, /was already used/);
    await tap(api, 7, numberOf(waiting));
    const thief = new Visitor(platform);
    thief.cookie = `svc_messenger=${"A".repeat(43)}`;
    assert.match((await thief.open(PATH)).html, /This sign-in expired/);
    const planted = new Visitor(platform);
    planted.cookie = `${ada.cookie}; ${ada.cookie}`;
    assert.match((await planted.open(PATH)).html, /This sign-in expired/);
    const cookie = ada.cookie;
    assert.equal((await ada.open(PATH)).path, "/workspaces");
    const replay = new Visitor(platform);
    replay.cookie = cookie;
    assert.match((await replay.open(PATH)).html, /This sign-in expired/);
  }),
);

Deno.test(
  "the second factor is still required",
  withBot(async (platform, api) => {
    const owner = await claimOwner(platform);
    const { secret } = await enrol(owner);
    const made = await owner.send("POST", "/v1/account/messenger/link");
    api.write(7, `/start ${new URL(made.json.url).searchParams.get("start")}`);
    await api.until(7, 1);
    const visitor = new Visitor(platform);
    const waiting = await begin(visitor, api, { chatId: 7 });
    await tap(api, 7, numberOf(waiting));
    const factor = await visitor.open(PATH);
    assert.match(factor.html, /Enter your code/);
    const inside = await visitor.submit(factor, "/sign-in/two-factor", {
      code: authenticatorCode(secret),
    });
    assert.equal(inside.path, "/workspaces/default/projects");
  }),
);

Deno.test(
  "attempts are limited, and redirect only to paths on this site",
  withBot(async (platform, api) => {
    await signUp(new Visitor(platform), api, 7);
    const visitor = new Visitor(platform);
    const away = await begin(visitor, api, {
      chatId: 7,
      door: "/sign-in?next=https%3A%2F%2Fevil.example",
    });
    await tap(api, 7, numberOf(away));
    assert.equal((await visitor.open(`${PATH}?next=//evil.example`)).path, "/workspaces");
    const statuses: number[] = [];
    for (let count = 0; count < 20; count++) {
      const { status } = await new Visitor(platform).send("POST", PATH, { fields: {} });
      statuses.push(status);
    }
    assert.deepEqual([statuses[0], statuses.at(-1)], [303, 429]);
  }),
);

Deno.test(
  "after signing in with the bot, a user can add an email address and a second factor",
  withBot(async (platform, api) => {
    const ada = new Visitor(platform);
    await signUp(ada, api, 7);
    const wanted = { email: "ada@example.com", password: PASSWORD };
    const added = await ada.submit(await ada.open("/account"), "/account/email", wanted);
    assert.match(added.html, /You can now sign in with this email address/);
    assert.doesNotMatch(added.html, /Confirm it's you/);
    assert.match(added.html, /Confirm your password/);
    const byMail = new Visitor(platform);
    await byMail.signIn(wanted.email);
    assert.match((await byMail.open("/account")).html, /Change password/);
    const bob = new Visitor(platform);
    await signUp(bob, api, 8);
    const page = await bob.open("/account");
    assert.doesNotMatch(page.html, /Confirm your password/);
    const taken = await bob.submit(page, "/account/email", wanted);
    assert.deepEqual([taken.status, /belongs to another account/.test(taken.html)], [409, true]);
    const enrolling = await bob.submit(page, "/account/two-factor");
    const secret = /secret=([A-Z2-7]+)/.exec(enrolling.html)![1]!;
    const kept = await bob.submit(enrolling, "/account/two-factor/confirm", {
      code: authenticatorCode(secret, -1),
    });
    assert.match(kept.html, /Recovery codes/);
    const off = await bob.submit(await bob.open("/account"), "/account/two-factor/disable", {
      code: authenticatorCode(secret),
    });
    assert.match(off.html, /Two-factor authentication turned off/);
  }),
);

Deno.test("without a bot, sign-in and sign-up do not offer the messenger", () =>
  withPlatform(async (platform) => {
    const visitor = new Visitor(platform);
    for (const door of ["/sign-in", "/sign-up"]) {
      assert.doesNotMatch((await visitor.open(door)).html, /Telegram/);
    }
    assert.equal((await visitor.open(PATH)).status, 404);
  }));
