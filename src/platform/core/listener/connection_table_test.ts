import assert from "node:assert/strict";
import { ConnectionTable, type Ending, type Tracked } from "./connection_table.ts";

const limits = {
  maxConnections: 4,
  maxPerAddress: 2,
  handshakeMs: 10,
  headMs: 20,
  bodyMs: 60,
  keepAliveMs: 75,
};

/**
 * Creates a table with a clock that the test sets, and a list of the connections that the table
 * closed.
 */
function testTable(given: Partial<typeof limits> = {}) {
  const clock = { time: 0 };
  const table = new ConnectionTable({ limits: { ...limits, ...given }, now: () => clock.time });
  const ended: string[] = [];
  const admit = (
    name: string,
    group: string | undefined = name,
    phase: "handshake" | "head" = "head",
  ): Tracked | undefined => {
    const entry = table.admit(group, phase);
    if (entry !== undefined) entry.end = (how: Ending) => void ended.push(`${name} ${how}`);
    return entry;
  };
  const sweepAt = (time: number) => {
    clock.time = time;
    ended.length = 0;
    table.sweep();
    return [...ended];
  };
  return { table, clock, ended, admit, sweepAt };
}

Deno.test("ConnectionTable is full at its limit until a connection is removed", () => {
  const { table, admit } = testTable();
  const [first] = ["a", "b", "c", "d"].map((name) => admit(name));
  assert.equal(table.isFull, true);
  table.remove(first!);
  assert.equal(table.isFull, false);
  assert.equal(table.size, 3);
});

Deno.test("admit() replaces the longest-idle connection from the new client's address", () => {
  const { table, clock, ended, admit } = testTable({ maxPerAddress: 2 });
  const busy = admit("busy", "192.0.2.1");
  table.began(busy!);
  clock.time = 1;
  admit("waiting", "192.0.2.1");
  admit("other", "192.0.2.2");
  assert.notEqual(admit("newcomer", "192.0.2.1"), undefined);
  assert.deepEqual(ended, ["waiting at once"]);
  assert.equal(table.size, 3);
});

Deno.test("admit() refuses a new connection if all connections from its address are busy", () => {
  const { table, admit } = testTable();
  for (const name of ["one", "two"]) table.began(admit(name, "192.0.2.1")!);
  assert.equal(admit("three", "192.0.2.1"), undefined);
  assert.notEqual(admit("else", "192.0.2.2"), undefined);
});

Deno.test("admit() does not count connections without a group toward an address's limit", () => {
  const { table } = testTable();
  for (let count = 0; count < 3; count++) table.began(table.admit(undefined, "head")!);
  assert.equal(table.size, 3);
});

Deno.test("evict() ends the connections that have waited the longest, and never a busy one", () => {
  const { table, clock, ended, admit } = testTable();
  table.began(admit("busy")!);
  for (const name of ["first", "second", "third"]) {
    clock.time++;
    admit(name);
  }
  assert.equal(table.evict(2), 2);
  assert.deepEqual(ended, ["first at once", "second at once"]);
  assert.equal(table.evict(2), 1);
});

Deno.test("evict() ends connections that many clients share only if there are no other connections", () => {
  const { table, clock, ended, admit } = testTable();
  const shared = admit("shared")!;
  table.exempt(shared);
  for (const name of ["first", "second"]) {
    clock.time++;
    admit(name);
  }
  assert.equal(table.evict(5), 2);
  assert.deepEqual(ended, ["first at once", "second at once"]);
  assert.equal(table.evict(5), 1);
  assert.deepEqual(ended.at(-1), "shared at once");
});

const phases: readonly (readonly [
  name: string,
  prepare: (table: ConnectionTable, entry: Tracked) => void,
  phase: "handshake" | "head",
  limit: number,
  how: Ending,
])[] = [
  ["a handshake", () => {}, "handshake", limits.handshakeMs, "at once"],
  [
    "the first headers",
    (table, entry) => table.shook(entry),
    "handshake",
    limits.headMs,
    "at once",
  ],
  ["the first headers without TLS", () => {}, "head", limits.headMs, "at once"],
  [
    "the next request",
    (table, entry) => {
      table.began(entry);
      table.ended(entry);
    },
    "head",
    limits.keepAliveMs,
    "at once",
  ],
  [
    "more of a body",
    (table, entry) => {
      table.began(entry);
      table.awaitsBody(entry);
    },
    "head",
    limits.bodyMs,
    "at once",
  ],
];

for (const [name, prepare, phase, limit, how] of phases) {
  Deno.test(`sweep() ends a connection that waits too long for ${name}`, () => {
    const { table, admit, sweepAt } = testTable();
    prepare(table, admit("it", "group", phase)!);
    assert.deepEqual(sweepAt(limit - 1), []);
    assert.deepEqual(sweepAt(limit), [`it ${how}`]);
  });
}

Deno.test("sweep() keeps connections with a response in progress, however long it takes", () => {
  const { table, admit, sweepAt } = testTable();
  const entry = admit("it")!;
  table.began(entry);
  const wait = table.awaitsBody(entry);
  wait.over();
  assert.deepEqual(sweepAt(1_000_000), []);
});

Deno.test("finish() ends connections between requests, and leaves new ones to finishNew()", () => {
  const { table, clock, ended, admit } = testTable();
  table.began(admit("busy")!);
  const idle = admit("idle")!;
  table.began(idle);
  table.ended(idle);
  admit("new");
  admit("shaking", "c", "handshake");
  table.finish();
  assert.deepEqual(ended, []);
  clock.time = 100;
  table.finish();
  assert.deepEqual(ended.splice(0), ["idle between requests"]);
  table.finishNew();
  assert.deepEqual(ended, ["new at once", "shaking at once"]);
});

Deno.test("sweep() ends a shared connection if all of its unfinished responses stall", () => {
  const { table, clock, admit, sweepAt } = testTable();
  const entry = admit("a")!;
  entry.isShared = true;
  const [resting, moving] = ["/a", "/b"].map(() => {
    table.began(entry);
    return table.sends(entry, { bytes: 10, stands: 1 });
  });
  clock.time = 50;
  table.progressed(moving!);
  assert.deepEqual(sweepAt(59), []);
  assert.deepEqual(sweepAt(60), [], "the other response continues");
  table.sent(entry, moving!, "whole");
  table.ended(entry);
  assert.deepEqual(sweepAt(62), ["a at once"]);
  table.wants(resting!);
  assert.deepEqual(sweepAt(63), [], "the source is slow, not the client");
});

Deno.test("sends() ends the connection with the most unsent data when the limit is reached", () => {
  const { table, ended, admit } = testTable();
  const [large, small] = ["a", "b"].map((name) => admit(name)!);
  table.sends(large!, { bytes: 64 * 1024 * 1024, stands: 1 });
  assert.deepEqual(ended, []);
  table.sends(small!, { bytes: 1024, stands: 1 });
  assert.deepEqual(ended, [], "the connection uses only its share");
  table.sends(large!, { bytes: 1, stands: 1 });
  assert.deepEqual(ended, ["a at once"]);
  table.remove(large!);
  table.sends(small!, { bytes: 2 * 1024 * 1024, stands: 1 });
  assert.deepEqual(ended, ["a at once"]);
});

Deno.test("a connection that resets many responses in a short time ends", () => {
  const { table, clock, ended, admit } = testTable();
  const entry = admit("a")!;
  const giveUp = (count: number) => {
    for (let at = 0; at < count; at++) {
      table.sent(entry, table.sends(entry, { bytes: 1, stands: 16 }), "reset");
    }
  };
  giveUp(25);
  clock.time = 10_000;
  giveUp(25);
  assert.deepEqual(ended, []);
  giveUp(1);
  assert.deepEqual(ended, ["a at once"]);
});

Deno.test("began() ends a connection with more requests than the allowed number of streams", () => {
  const { table, ended, admit } = testTable();
  const entry = admit("a")!;
  for (let count = 0; count < 256; count++) assert.equal(table.began(entry), true);
  assert.equal(table.began(entry), false);
  assert.deepEqual(ended, ["a at once"]);
});
