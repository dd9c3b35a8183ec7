import assert from "node:assert/strict";
import fc from "fast-check";
import type { Change, FeedMessage, Snapshot } from "./messages.ts";
import { Publisher } from "./publisher.ts";
import { Subscriber } from "./subscriber.ts";

const removed = (hostname: string): FeedMessage => ({ type: "host_removed", hostname });

/**
 * Creates an edge that keeps the names of removed hosts, with a transport that the test controls.
 */
function edgeOf(publisher: Publisher, options: { apply?(): Promise<void> } = {}) {
  const shown = { names: [] as string[], places: [] as number[], late: [] as number[], gaps: 0 };
  const arrived: Change[] = [];
  const hostnames = (messages: readonly FeedMessage[]) =>
    messages.map((message) => message.type === "host_removed" ? message.hostname : "");
  const subscriber = new Subscriber({
    async apply(message) {
      await options.apply?.();
      shown.names.push(...hostnames([message]));
    },
    replace: (messages) => void (shown.names = hostnames(messages)),
    applied(place) {
      shown.places.push(place);
      subscribed.entry.applied(place);
    },
    onGap() {
      shown.gaps++;
      subscriber.reset(publisher.snapshot());
    },
    onError: (error) => assert.fail(String(error)),
  });
  const subscribed = publisher.subscribe({
    send: (change) => void arrived.push(change),
    onLate: ({ place }) => void shown.late.push(place),
  });
  subscriber.reset(subscribed.snapshot);
  return {
    shown,
    end: () => subscribed.entry.end(),
    /** Delivers the sent messages, except the changes at these indexes. */
    deliver(lost: readonly number[] = []) {
      arrived.splice(0).forEach((change, index) => {
        if (!lost.includes(index)) subscriber.receive(change);
      });
    },
    subscriber,
  };
}

function publisherOf(names: string[]): Publisher {
  const publisher = new Publisher({ patienceMs: 60_000 });
  publisher.include(() => names.map(removed));
  return publisher;
}

Deno.test("Publisher.publish() resolves when every subscriber has applied the change", async () => {
  const publisher = publisherOf([]);
  const [one, two] = [edgeOf(publisher), edgeOf(publisher)];
  let isDone = false;
  const published = publisher.publish(removed("a")).then(() => isDone = true);
  one.deliver();
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(isDone, false, "one of them has not applied it");
  two.deliver();
  await published;
  assert.deepEqual([one.shown.names, two.shown.names], [["a"], ["a"]]);
  one.end();
  two.end();
});

Deno.test("Publisher.publish() does not wait for a subscriber that has ended", async () => {
  const publisher = publisherOf([]);
  const edge = edgeOf(publisher);
  const published = publisher.publish(removed("a"));
  edge.end();
  await published;
  await publisher.publish(removed("b"));
});

Deno.test("Publisher reports a late subscriber", async () => {
  const publisher = new Publisher({ patienceMs: 1 });
  const late = Promise.withResolvers<number>();
  const { entry } = publisher.subscribe({
    send: () => {},
    onLate: ({ place }) => late.resolve(place),
  });
  const published = publisher.publish(removed("a"));
  assert.equal(await late.promise, 1);
  entry.end();
  await published;
});

Deno.test("Subscriber applies changes one at a time", async () => {
  const publisher = publisherOf([]);
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let applied = 0;
  const edge = edgeOf(publisher, { apply: () => gates[applied++]!.promise });
  const published = Promise.all([publisher.publish(removed("a")), publisher.publish(removed("b"))]);
  edge.deliver();
  gates[1]!.resolve();
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(edge.shown.names, []);
  gates[0]!.resolve();
  await published;
  assert.deepEqual(edge.shown.names, ["a", "b"]);
  edge.end();
});

Deno.test("Subscriber continues after a message that cannot be applied", async () => {
  const errors: unknown[] = [];
  const places: number[] = [];
  const second = Promise.withResolvers<void>();
  const subscriber = new Subscriber({
    apply: (message) => {
      if (message.type === "host_removed" && message.hostname === "bad") throw new Error("bad");
    },
    replace: () => {},
    applied(place) {
      places.push(place);
      if (place === 2) second.resolve();
    },
    onGap: () => assert.fail("nothing is missing"),
    onError: (error) => errors.push(error),
  });
  subscriber.reset({ place: 0, messages: [] } satisfies Snapshot);
  subscriber.receive({ place: 1, message: removed("bad") });
  subscriber.receive({ place: 2, message: removed("good") });
  await second.promise;
  assert.deepEqual([places, errors.length], [[0, 1, 2], 1]);
});

Deno.test("a snapshot repairs the loss of any message", () =>
  fc.assert(fc.asyncProperty(
    fc.array(fc.record({ count: fc.nat(4), lost: fc.array(fc.nat(4)) }), { maxLength: 8 }),
    async (rounds) => {
      const names: string[] = [];
      const publisher = publisherOf(names);
      const edge = edgeOf(publisher);
      const published: Promise<void>[] = [];
      const publish = () => {
        names.push(`h${names.length}`);
        published.push(publisher.publish(removed(names.at(-1)!)));
      };
      for (const { count, lost } of rounds) {
        for (let index = 0; index < count; index++) publish();
        edge.deliver(lost);
      }
      publish();
      edge.deliver();
      await Promise.all(published);
      assert.deepEqual(edge.shown.names, names);
      edge.end();
    },
  )));
