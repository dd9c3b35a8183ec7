import assert from "node:assert/strict";
import type { InboxCounts, Notification } from "../../../contract/notifications.ts";
import type { InboxView } from "../inbox/inbox_view.ts";
import { LiveStreams, MAX_REPLAYED, type Published } from "./live_streams.ts";

const USER = "user";
const ALL: InboxView = { userId: USER, workspaces: null };
const COUNTS: InboxCounts = {
  total: 1,
  unread: 1,
  categories: Object.fromEntries(
    ["Deployment", "Health", "Billing", "Security", "System"]
      .map((name) => [name, { total: 0, unread: 0 }]),
  ) as InboxCounts["categories"],
};

const id = (number: number) => `01890000-0000-7000-8000-${String(number).padStart(12, "0")}`;

const notification = (number: number, workspaceId: string | null = null): Notification => ({
  id: id(number),
  event: "deployment.live",
  category: "Deployment",
  priority: "NORMAL",
  title: `n${number}`,
  body: "",
  actionUrl: null,
  data: {},
  read: false,
  readAt: null,
  archived: false,
  archivedAt: null,
  createdAt: "2026-03-01T12:00:00.000Z",
  workspaceId,
});

const fresh = (number: number, workspaceId: string | null = null): Published => ({
  message: { type: "notification", ...notification(number, workspaceId) },
  workspaceId,
});

/** Creates the streams of an inbox that contains `held`. */
function streamsOver(held: readonly Notification[] = []) {
  const troubles: string[] = [];
  const streams = new LiveStreams({
    counts: () => Promise.resolve(COUNTS),
    lastId: () => Promise.resolve(held.at(-1)?.id),
    after: (_, last, limit) => {
      const later = held.filter((each) => each.id > last);
      return Promise.resolve(later.length > limit ? undefined : later);
    },
    onTrouble: (message) => troubles.push(message),
  });
  const open = (
    view: InboxView,
    lastId: string | null = null,
    isAllowed = () => true,
    credential = "hash",
  ) => {
    const access = {
      lastId,
      credential,
      isAllowed: () => Promise.resolve(isAllowed()),
    };
    const reader = streams.open(view, access).pipeThrough(new TextDecoderStream()).getReader();
    return {
      /** Returns the next messages, each by its type or title. */
      async next(count: number): Promise<string[]> {
        const names: string[] = [];
        while (names.length < count) {
          const { value, done } = await reader.read();
          if (done) return [...names, "end"];
          for (const [, data] of value.matchAll(/^data: (.*)$/gm)) {
            const { type, title } = JSON.parse(data!);
            names.push(title ?? type);
          }
          if (value.startsWith(": ")) names.push("comment");
        }
        return names;
      },
      cancel: () => reader.cancel(),
    };
  };
  return { streams, open, troubles };
}

Deno.test("LiveStreams sends new messages, and then the counts, to those who can see the messages", async () => {
  const { streams, open } = streamsOver();
  const [all, one, two] = [
    open(ALL),
    open({ userId: USER, workspaces: ["one"] }),
    open({
      userId: USER,
      workspaces: ["two", null],
    }),
  ];
  for (const reader of [all, one, two]) assert.deepEqual(await reader.next(1), ["counts"]);
  await streams.publish(USER, [fresh(1, "one"), fresh(2, "two"), fresh(3, null)]);
  await streams.publish("other", [fresh(9, "one")]);
  assert.deepEqual(await all.next(4), ["n1", "n2", "n3", "counts"]);
  assert.deepEqual(await one.next(2), ["n1", "counts"]);
  assert.deepEqual(await two.next(3), ["n2", "n3", "counts"]);
  streams.close();
  assert.deepEqual(await all.next(1), ["end"]);
});

Deno.test("LiveStreams first sends missed messages, and never sends anything twice", async () => {
  const held = [1, 2, 3].map((number) => notification(number));
  const { streams, open } = streamsOver(held);
  const reader = open(ALL, id(1));
  await streams.publish(USER, [fresh(3), fresh(4)]);
  assert.deepEqual(await reader.next(5), ["n2", "n3", "counts", "n4", "counts"]);
  streams.close();
});

const resets = [
  ["too much was missed", id(0)],
  ["the last ID is invalid", "yesterday"],
] as const;

for (const [name, lastId] of resets) {
  Deno.test(`LiveStreams asks clients to start over if ${name}`, async () => {
    const held = Array.from({ length: MAX_REPLAYED + 1 }, (_, number) => notification(number + 1));
    const { streams, open } = streamsOver(held);
    assert.deepEqual(await open(ALL, lastId).next(2), ["reset", "counts"]);
    streams.close();
  });
}

Deno.test("LiveStreams.publishAll() tells clients with another view to start over", async () => {
  const { streams, open } = streamsOver();
  const view: InboxView = { userId: USER, workspaces: ["one"] };
  const [all, one] = [open(ALL), open(view)];
  await Promise.all([all.next(1), one.next(1)]);
  await streams.publishAll(view, "archived");
  assert.deepEqual(await one.next(2), ["archived", "counts"]);
  assert.deepEqual(await all.next(2), ["reset", "counts"]);
  streams.close();
});

Deno.test("LiveStreams ends a stream if its credential is revoked, and keeps the others", async () => {
  const { streams, open } = streamsOver();
  let allowed = true;
  const [revoked, kept] = [open(ALL, null, () => allowed), open(ALL)];
  await Promise.all([revoked.next(1), kept.next(1)]);
  const round = () => Array.from({ length: 20 }, () => streams.beat());
  round();
  assert.deepEqual(await revoked.next(1), ["comment"]);
  allowed = false;
  round();
  assert.deepEqual(await revoked.next(1), ["end"]);
  assert.deepEqual(await kept.next(2), ["comment", "comment"]);
  assert.equal(streams.count, 1);
  streams.close();
});

Deno.test("LiveStreams.check() immediately ends the streams of a revoked credential", async () => {
  const { streams, open } = streamsOver();
  const ended = new Set<string>();
  const readers = ["one", "two", "three"].map((name) =>
    open(ALL, null, () => !ended.has(name), name)
  );
  for (const reader of readers) await reader.next(1);
  ended.add("one").add("two");
  await streams.check("one");
  assert.deepEqual(await readers[0]!.next(1), ["end"]);
  assert.equal(streams.count, 2, "nothing was read for the other credential");
  await Promise.all([streams.check(), streams.check()]);
  assert.deepEqual(await readers[1]!.next(1), ["end"]);
  assert.equal(streams.count, 1);
  streams.close();
});

Deno.test("LiveStreams cuts off a reader that falls far behind", async () => {
  const { streams, open } = streamsOver();
  const [slow, quick] = [open(ALL), open(ALL)];
  await Promise.all([slow.next(1), quick.next(1)]);
  for (let number = 1; number <= 300; number++) {
    await streams.publish(USER, [fresh(number)]);
    await quick.next(2);
  }
  assert.equal(streams.count, 1);
  await assert.rejects(slow.next(1000), /too far behind/);
  streams.close();
});

Deno.test("LiveStreams drops a reader that disconnects", async () => {
  const { streams, open } = streamsOver();
  const reader = open(ALL);
  await reader.next(1);
  await reader.cancel();
  assert.equal(streams.count, 0);
  await streams.publish(USER, [fresh(1)]);
});
