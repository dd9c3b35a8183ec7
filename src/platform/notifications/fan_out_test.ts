import { type EventName } from "../../contract/events.ts";
import assert from "node:assert/strict";
import { newPerson, withAccounts } from "../accounts/_test_accounts.ts";
import type { EventRecord } from "../core/events/event_store.ts";
import type { DeliveryRequest } from "./delivery/types.ts";
import { createFanOut } from "./fan_out.ts";
import { InboxStore } from "./inbox/inbox_store.ts";
import { Inboxes } from "./inbox/inboxes.ts";
import { LiveStreams } from "./live/live_streams.ts";
import { notificationKeys } from "./notification_keys.ts";
import { PreferenceService } from "./preferences/preference_service.ts";
import { Lease } from "../../store/mod.ts";

const WORKSPACE = "01890000-0000-7000-8000-0000000000aa";

/** Runs a test with two members of a workspace, and one person who is not a member. */
async function withPeople(
  run: (parts: {
    readonly ids: { readonly ada: string; readonly bob: string; readonly eve: string };
    readonly preferences: PreferenceService;
    /** Fans out events. Returns the deliveries, each as its channel and receiver. */
    pass(events: readonly EventRecord[]): Promise<string[]>;
    titles(userId: string): Promise<string[]>;
    removeMember(userId: string): Promise<unknown>;
    readonly keys: string[];
    /** Makes a person's preferences unreadable. */
    damagePreferences(userId: string): Promise<unknown>;
    readonly troubles: string[];
    setTime(time: string): void;
  }) => Promise<void>,
): Promise<void> {
  await withAccounts(async (test) => {
    const { accounts, kv } = test;
    const idOf = async (name: string) => (await newPerson(test, name)).user.id;
    const ids = { ada: await idOf("ada"), bob: await idOf("bob"), eve: await idOf("eve") };
    await accounts.createWorkspace(
      { id: WORKSPACE, slug: "acme", name: "Acme", createdAt: 0 },
      ids.ada,
    );
    const joined = {
      workspaceId: WORKSPACE,
      userId: ids.bob,
      role: "viewer",
      joinedAt: 0,
    } as const;
    await accounts.changeMember(WORKSPACE, ids.bob, () => joined);
    const onTrouble = (message: string) => assert.fail(message);
    const troubles: string[] = [];
    const inboxes = new Inboxes({ store: new InboxStore(kv), now: () => test.time, onTrouble });
    const live = new LiveStreams({
      counts: (view) => inboxes.counts(view),
      lastId: (userId) => inboxes.lastId(userId),
      after: (view, id, limit) => inboxes.after(view, id, limit),
      onTrouble,
    });
    const preferences = new PreferenceService(kv, accounts, () => Promise.resolve(true));
    const requests: DeliveryRequest[] = [];
    const passOn = createFanOut({
      accounts,
      preferences,
      inboxes,
      live,
      publicOrigin: "https://svc.test",
      delivery: { accept: (given) => Promise.resolve(void requests.push(...given)) },
      now: () => test.time,
      onTrouble: (message) => void troubles.push(message),
    });
    const names = new Map<string | null, string>(
      Object.entries(ids).map(([name, id]) => [id, name]),
    );
    const keys: string[] = [];
    await run({
      ids,
      preferences,
      keys,
      troubles,
      damagePreferences: (userId) => kv.set(notificationKeys.preferences(userId), "damaged"),
      async pass(events) {
        requests.length = 0;
        await passOn(events, Lease.ofSoleNode("events"));
        keys.push(...requests.map(({ key }) => key));
        return requests.map(({ channel, userId }) => `${channel} ${names.get(userId) ?? "-"}`)
          .sort();
      },
      titles: async (userId) =>
        (await inboxes.list({ userId, workspaces: null }, {
          archived: false,
          unreadOnly: false,
          limit: 100,
          offset: 0,
        })).items.map(({ title }) => title),
      removeMember: (userId) => accounts.changeMember(WORKSPACE, userId, () => undefined),
      setTime: (time) => void (test.time = Date.parse(`2026-11-21T${time}:00Z`)),
    });
    await inboxes.close();
  });
}

const account = (userId: string) => ({ userId, workspaceId: null });

let made = 0;
function eventOf(
  event: EventName,
  audience: EventRecord["audience"] = { type: "workspace", workspaceId: WORKSPACE },
): EventRecord {
  const id = `01890000-0000-7${String(made++).padStart(3, "0")}-8000-000000000001`;
  return { id, event, audience, data: { project: `p${made}` }, createdAt: 0 };
}

Deno.test("createFanOut() notifies each member through their preferred channels", () =>
  withPeople(async ({ ids, preferences, pass, titles }) => {
    await preferences.setChannel(account(ids.bob), { channel: "email", enabled: false });
    await preferences.setCategory(account(ids.bob), {
      category: "Deployment",
      minimumPriority: "LOW",
    });
    assert.deepEqual(await pass([eventOf("deployment.live")]), [
      "email ada",
      "forge -",
      "push ada",
      "push bob",
      "webhook -",
    ]);
    assert.deepEqual(await pass([eventOf("deployment.started")]), [
      "forge -",
      "push bob",
      "webhook -",
    ]);
    assert.deepEqual(await pass([eventOf("deployment.failed")]), [
      "email ada",
      "email bob",
      "forge -",
      "messenger ada",
      "messenger bob",
      "push ada",
      "push bob",
      "webhook -",
    ]);
    assert.deepEqual((await titles(ids.ada)).length, 2);
    assert.deepEqual((await titles(ids.bob)).length, 3);
    assert.deepEqual(await titles(ids.eve), []);
  }));

Deno.test("createFanOut() notifies everyone else if one record is damaged", () =>
  withPeople(async ({ ids, pass, titles, damagePreferences, troubles }) => {
    await damagePreferences(ids.ada);
    assert.deepEqual(await pass([eventOf("deployment.live")]), [
      "email bob",
      "forge -",
      "push bob",
      "webhook -",
    ]);
    assert.equal((await titles(ids.bob)).length, 1);
    assert.match(troubles.join(), /Cannot notify user .* of 1 event: .*notification_preferences/);
  }));

Deno.test("createFanOut() respects quiet hours", () =>
  withPeople(async ({ ids, preferences, pass, titles, setTime }) => {
    const quietHours = { start: "22:00", end: "06:00" };
    await preferences.setCategory(account(ids.ada), { category: "Deployment", quietHours });
    setTime("23:00");
    assert.deepEqual(await pass([eventOf("deployment.live")]), [
      "email bob",
      "forge -",
      "push bob",
      "webhook -",
    ]);
    setTime("06:00");
    assert.deepEqual((await pass([eventOf("deployment.live")])).length, 6);
    assert.equal((await titles(ids.ada)).length, 2);
  }));

Deno.test("createFanOut() notifies only the person whom an event concerns", () =>
  withPeople(async ({ ids, pass, titles }) => {
    const event = eventOf("security.new_login", {
      type: "user",
      userId: ids.eve,
      workspaceId: null,
    });
    assert.deepEqual(await pass([event]), ["email eve", "push eve"]);
    assert.deepEqual(await titles(ids.eve), ["New sign-in"]);
    assert.deepEqual(await titles(ids.ada), []);
  }));

Deno.test("createFanOut() ignores a repeated event", () =>
  withPeople(async ({ ids, pass, titles, keys }) => {
    const [one, two, three] = [1, 2, 3].map(() => eventOf("deployment.live"));
    const first = await pass([one!, two!]);
    const firstKeys = keys.splice(0);
    assert.deepEqual(await pass([one!, two!]), first);
    assert.deepEqual(keys, firstKeys);
    assert.equal(new Set(keys).size, keys.length);
    await pass([one!, two!, three!]);
    assert.equal((await titles(ids.ada)).length, 3);
    assert.equal((await titles(ids.bob)).length, 3);
  }));

Deno.test("createFanOut() no longer notifies a former member", () =>
  withPeople(async ({ ids, pass, titles, removeMember }) => {
    await pass([eventOf("deployment.live")]);
    await removeMember(ids.bob);
    assert.deepEqual(await pass([eventOf("deployment.live")]), [
      "email ada",
      "forge -",
      "push ada",
      "webhook -",
    ]);
    assert.equal((await titles(ids.bob)).length, 1);
  }));
