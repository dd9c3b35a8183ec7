import { EVENT_CATEGORIES, PRIORITIES } from "../../../contract/events.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import { EventIds } from "../../core/events/event_id.ts";
import type { NotificationContent } from "../delivery/types.ts";
import { Inboxes } from "./inboxes.ts";
import type { InboxView } from "./inbox_view.ts";
import { InboxStore } from "./inbox_store.ts";
import { notificationKeys } from "../notification_keys.ts";
import { DenoStore, type RecordKey, type RecordStore } from "../../../store/mod.ts";

const USER = "01890000-0000-7000-8000-00000000000a";
const ALL: InboxView = { userId: USER, workspaces: null };
const [ONE, TWO] = ["workspace-1", "workspace-2"];
const NOW = Date.parse("2026-03-01T12:00:00Z");

let chance = 0;
const random = (count: number) => new Uint8Array(count).map(() => chance++ % 251);

function maker() {
  const ids = new EventIds(() => NOW, random);
  let made = 0;
  return (changes: Partial<NotificationContent> = {}): NotificationContent => {
    const number = made++;
    return {
      id: ids.next(),
      event: "deployment.live",
      category: EVENT_CATEGORIES[number % EVENT_CATEGORIES.length]!,
      priority: PRIORITIES[number % PRIORITIES.length]!,
      title: `n${number}`,
      body: "",
      actionUrl: null,
      createdAt: NOW,
      workspaceId: ONE,
      data: {},
      ...changes,
    };
  };
}

async function withInboxes(
  run: (parts: {
    readonly kv: RecordStore;
    /** Returns the inboxes as they are after a restart. */
    open(more?: { readonly maxPages: number }): Inboxes;
    readonly make: ReturnType<typeof maker>;
  }) => Promise<void>,
): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  const opened: Inboxes[] = [];
  try {
    await run({
      kv,
      make: maker(),
      open(more) {
        const onTrouble = (message: string) => assert.fail(message);
        const store = new InboxStore(kv);
        const inboxes = new Inboxes({ store, now: () => NOW, onTrouble, ...more });
        opened.push(inboxes);
        return inboxes;
      },
    });
  } finally {
    for (const inboxes of opened) await inboxes.close();
    kv.close();
  }
}

const inbox = { archived: false, unreadOnly: false, limit: 100, offset: 0 };

const titles = async (inboxes: Inboxes, selection: Partial<typeof inbox> = {}, view = ALL) =>
  (await inboxes.list(view, { ...inbox, ...selection })).items.map(({ title }) => title);

async function entries(kv: RecordStore, prefix: RecordKey): Promise<number> {
  return (await Array.fromAsync(kv.list({ prefix }))).length;
}

Deno.test("Inboxes.list() shows the newest notifications first, in pages and after a restart", () =>
  withInboxes(async ({ open, make }) => {
    const first = open();
    await first.add(USER, Array.from({ length: 600 }, () => make()));
    for (const inboxes of [first, open()]) {
      assert.deepEqual(await titles(inboxes, { limit: 3 }), ["n599", "n598", "n597"]);
      assert.deepEqual(await titles(inboxes, { limit: 2, offset: 343 }), ["n256", "n255"]);
      assert.deepEqual(await titles(inboxes, { offset: 600 }), []);
      const selection = { ...inbox, category: "Health", limit: 1, offset: 119 } as const;
      const { items, total } = await inboxes.list(ALL, selection);
      assert.deepEqual([items[0]?.title, total], ["n1", 120]);
    }
  }));

Deno.test("Inboxes.add() adds a notification only once", () =>
  withInboxes(async ({ open, make }) => {
    const [one, two, three] = [make(), make(), make()];
    assert.equal((await open().add(USER, [one, two])).length, 2);
    const again = open();
    assert.deepEqual(await again.add(USER, [one, two, three]), [three]);
    assert.deepEqual(await titles(again), ["n2", "n1", "n0"]);
  }));

Deno.test("Inboxes.add() makes room by removing the oldest notifications with all of their data", () =>
  withInboxes(async ({ kv, open, make }) => {
    const inboxes = open({ maxPages: 3 });
    const made = Array.from({ length: 768 }, () => make());
    await inboxes.add(USER, made);
    await inboxes.archive(ALL, made[0]!.id);
    assert.equal((await inboxes.counts(ALL)).total, 767);
    await inboxes.add(USER, [make()]);
    for (const each of [inboxes, open()]) {
      assert.deepEqual(await titles(each, { limit: 1, offset: 512 }), ["n256"]);
      assert.deepEqual(await titles(each, { offset: 513 }), []);
      assert.deepEqual(await titles(each, { archived: true }), []);
      assert.equal(await each.read(ALL, made[255]!.id), undefined);
      assert.equal((await each.read(ALL, made[256]!.id))?.notification.title, "n256");
    }
    assert.equal(await entries(kv, ["notifications", USER]), 513);
    assert.equal(await entries(kv, notificationKeys.pages(USER)), 3);
  }));

Deno.test("Inboxes.add() shrinks an inbox that a crash left too large", () =>
  withInboxes(async ({ kv, open, make }) => {
    const before = open();
    await before.add(USER, Array.from({ length: 1300 }, () => make()));
    await before.changeAll(ALL, "archive");
    await before.close();
    const after = open({ maxPages: 2 });
    assert.equal((await after.list(ALL, { ...inbox, archived: true })).total, 1300);
    assert.equal((await after.add(USER, [make()])).length, 1);
    assert.equal((await after.list(ALL, { ...inbox, archived: true })).total, 1300 - 4 * 256);
    assert.deepEqual(await titles(after), ["n1300"]);
    assert.equal(await entries(kv, ["notifications", USER]), 1301 - 4 * 256);
  }));

Deno.test("Inboxes.read(), archive() and delete() are idempotent", () =>
  withInboxes(async ({ kv, open, make }) => {
    const inboxes = open();
    const [one, two] = [make(), make()];
    await inboxes.add(USER, [one, two]);
    for (const isNew of [true, false]) {
      const read = await inboxes.read(ALL, one.id);
      assert.deepEqual([read?.isNew, read?.notification.read], [isNew, true]);
      assert.equal(read?.notification.readAt, new Date(NOW).toISOString());
    }
    for (const isNew of [true, false]) {
      const archived = await inboxes.archive(ALL, one.id);
      assert.deepEqual([archived?.isNew, archived?.notification.archived], [isNew, true]);
    }
    assert.deepEqual(await titles(inboxes), ["n1"]);
    assert.deepEqual(await titles(inboxes, { archived: true }), ["n0"]);
    assert.equal((await inboxes.delete(ALL, one.id))?.workspaceId, ONE);
    assert.deepEqual(await inboxes.delete(ALL, one.id), { workspaceId: undefined });
    assert.equal(await inboxes.read(ALL, one.id), undefined);
    assert.equal(await inboxes.delete(ALL, crypto.randomUUID()), undefined);
    assert.equal(await entries(kv, ["notifications", USER]), 1);
    assert.deepEqual(await titles(open()), ["n1"]);
  }));

Deno.test("Inboxes hides other workspaces from a view", () =>
  withInboxes(async ({ open, make }) => {
    const inboxes = open();
    const here = make({ workspaceId: ONE });
    const there = make({ workspaceId: TWO });
    const own = make({ workspaceId: null });
    await inboxes.add(USER, [here, there, own]);
    const view: InboxView = { userId: USER, workspaces: [ONE] };
    assert.deepEqual(await titles(inboxes, {}, view), ["n0"]);
    assert.equal((await inboxes.counts(view)).total, 1);
    assert.equal(await inboxes.read(view, there.id), undefined);
    assert.equal(await inboxes.delete(view, own.id), undefined);
    assert.equal(await inboxes.changeAll(view, "archive"), 1);
    assert.deepEqual(await titles(inboxes), ["n2", "n1"]);
    const account: InboxView = { userId: USER, workspaces: [TWO, null] };
    assert.deepEqual(await titles(inboxes, {}, account), ["n2", "n1"]);
    const stranger: InboxView = { userId: USER, workspaces: ["workspace-3"] };
    assert.deepEqual(await titles(inboxes, {}, stranger), []);
    assert.equal(await inboxes.hasUnread(stranger), false);
    assert.deepEqual(await titles(inboxes, {}, { userId: "other", workspaces: null }), []);
  }));

Deno.test("Inboxes.changeAll() changes everything immediately, and the stored pages later", () =>
  withInboxes(async ({ kv, open, make }) => {
    const inboxes = open();
    await inboxes.add(USER, Array.from({ length: 1000 }, () => make()));
    assert.equal(await inboxes.changeAll(ALL, "read"), 1000);
    assert.equal(await inboxes.hasUnread(ALL), false);
    assert.equal(await inboxes.changeAll(ALL, "read"), 0);
    assert.equal(await inboxes.changeAll(ALL, "archive"), 1000);
    assert.equal((await inboxes.counts(ALL)).total, 0);
    await inboxes.add(USER, [make(), make()]);
    assert.equal(await inboxes.changeAll(ALL, "delete"), 1000);
    assert.deepEqual(await titles(inboxes), ["n1001", "n1000"]);
    await inboxes.close();
    const later = open();
    assert.deepEqual(await titles(later), ["n1001", "n1000"]);
    assert.deepEqual(await titles(later, { archived: true }), []);
    await later.changeAll(ALL, "archive");
    for (let left = 3; left > 2;) left = await entries(kv, ["notifications", USER]);
  }));

Deno.test("Inboxes completes interrupted changes after a crash, and keeps later items", () =>
  withInboxes(async ({ kv, open, make }) => {
    const first = open();
    await first.add(USER, Array.from({ length: 300 }, () => make()));
    await first.archive(ALL, (await first.list(ALL, inbox)).items[0]!.id);
    await first.close();
    const head = (await kv.get<object>(notificationKeys.inbox(USER))).value;
    const change = { at: NOW, places: null };
    const unfinished = [
      { ...change, number: 1, type: "delete" },
      { ...change, number: 2, type: "archive" },
    ];
    await kv.set(notificationKeys.inbox(USER), { ...head, changes: 2, unfinished });
    const second = open();
    assert.deepEqual(await titles(second), []);
    const { total, items } = await second.list(ALL, { ...inbox, archived: true, limit: 1 });
    assert.deepEqual([total, items[0]?.title], [299, "n298"]);
    await second.add(USER, [make()]);
    await second.close();
    const third = open();
    assert.deepEqual(await titles(third), ["n300"]);
    assert.equal((await third.list(ALL, { ...inbox, archived: true })).total, 299);
  }));

Deno.test("Inboxes.after() returns later notifications, or reports that there are too many", () =>
  withInboxes(async ({ open, make }) => {
    const inboxes = open();
    const made = Array.from({ length: 300 }, () => make());
    await inboxes.add(USER, made);
    const late = await inboxes.after(ALL, made[297]!.id, 10);
    assert.deepEqual(late?.map(({ title }) => title), ["n298", "n299"]);
    assert.equal(await inboxes.after(ALL, made[0]!.id, 10), undefined);
    assert.deepEqual(await inboxes.after(ALL, made[299]!.id, 10), []);
    assert.deepEqual(
      await inboxes.after({ userId: "nobody", workspaces: null }, made[0]!.id, 9),
      [],
    );
  }));

interface Model {
  readonly title: string;
  readonly id: string;
  read: boolean;
  state: "inbox" | "archive" | "deleted";
}

Deno.test("Inboxes returns the same as a plain list for any sequence of steps", async () => {
  const step = fc.record({
    type: fc.constantFrom("add", "read", "archive", "delete", "all", "reopen"),
    of: fc.nat(400),
    all: fc.constantFrom("read", "archive", "delete"),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      (steps) =>
        withInboxes(async ({ open, make }) => {
          let inboxes = open();
          const model: Model[] = [];
          for (const { type, of, all } of steps) {
            const one = model[of % Math.max(model.length, 1)];
            if (type === "add") {
              const added = Array.from({ length: of }, () => make());
              await inboxes.add(USER, added);
              model.push(
                ...added.map(({ id, title }) => ({
                  id,
                  title,
                  read: false,
                  state: "inbox" as const,
                })),
              );
            } else if (type === "all") {
              await inboxes.changeAll(ALL, all);
              for (const each of model) {
                if (all === "delete" && each.state === "archive") each.state = "deleted";
                if (each.state === "inbox" && all === "archive") each.state = "archive";
                if (each.state === "inbox" && all === "read") each.read = true;
              }
            } else if (type === "reopen") {
              await inboxes.close();
              inboxes = open();
            } else if (one !== undefined) {
              await inboxes[type](ALL, one.id);
              if (one.state === "deleted") continue;
              if (type === "read") one.read = true;
              else one.state = type === "archive" ? "archive" : "deleted";
            }
          }
          for (const archived of [false, true]) {
            for (const unreadOnly of [false, true]) {
              const wanted = model.filter(({ state, read }) =>
                state === (archived ? "archive" : "inbox") && !(unreadOnly && read)
              ).toReversed();
              const selection = { archived, unreadOnly, limit: 100, offset: wanted.length >> 1 };
              const { items, total } = await inboxes.list(ALL, selection);
              assert.equal(total, wanted.length);
              assert.deepEqual(
                items.map(({ title, read }) => [title, read]),
                wanted.slice(selection.offset, selection.offset + 100).map((
                  { title, read },
                ) => [title, read]),
              );
            }
          }
        }),
    ),
    { numRuns: 25 },
  );
});
