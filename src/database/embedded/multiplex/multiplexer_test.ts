import assert from "node:assert/strict";
import type { Backend, Hear } from "./backend.ts";
import {
  backendKey,
  errorField,
  type Message,
  MessageReader,
  queryText,
  readyForQuery,
  SYNC,
  writeMessage,
} from "./messages.ts";
import { SESSION_WINDOW } from "../wire.ts";
import { Multiplexer } from "./multiplexer.ts";
import { milliseconds } from "./waiting.ts";

/** A backend that tracks `BEGIN` and `COMMIT`, and records its messages. */
class ScriptedBackend implements Backend {
  readonly log: string[] = [];
  readonly settingsDigest = "";
  readonly settingNames = [];
  simpleQueries = 0;
  #status: "I" | "T" = "I";

  run(bytes: Uint8Array, hear: Hear): void {
    const message = one(bytes);
    const answer = (...parts: Uint8Array[]) => parts.forEach((part) => hear(one(part)));
    if (message.type === "S") return answer(readyForQuery(this.#status));
    if (message.type === "P") {
      this.log.push(`parse ${text(message, 0)}`);
      return answer(writeMessage("1"));
    }
    if (message.type !== "Q") return this.#note(message, answer);
    this.simpleQueries++;
    const sql = queryText(message);
    if (!sql.includes("pg_catalog") && !sql.startsWith("RESET")) this.log.push(sql);
    if (sql === "BEGIN") this.#status = "T";
    if (sql === "COMMIT" || sql === "ROLLBACK") this.#status = "I";
    answer(writeMessage("C", sql), readyForQuery(this.#status));
  }

  #note(message: Message, answer: (...parts: Uint8Array[]) => void): void {
    if (message.type === "B") {
      this.log.push(`bind ${text(message, 1)}`);
      answer(writeMessage("2"));
    }
  }
}

function one(bytes: Uint8Array): Message {
  const reader = new MessageReader(1_000_000);
  reader.push(bytes.slice());
  return reader.take()!;
}

/** Returns the string at a position among a message's strings. */
const text = ({ bytes }: Message, at: number): string =>
  new TextDecoder().decode(bytes.subarray(5)).split("\0")[at]!;

class Clients {
  readonly backend = new ScriptedBackend();
  readonly heard = new Map<number, Message[]>();
  readonly ended: number[] = [];
  /** Number of bytes from clients that were reported as handled. */
  taken = 0;
  now = 0;
  idleLimit = 0;
  readonly multiplexer = new Multiplexer({
    backend: this.backend,
    outlet: {
      deliver: (client, bytes) => {
        const reader = new MessageReader(1_000_000);
        reader.push(bytes.slice());
        const list = this.heard.get(client) ?? [];
        for (let next = reader.take(); next !== undefined; next = reader.take()) list.push(next);
        this.heard.set(client, list);
      },
      ended: (client) => this.ended.push(client),
      wait: () => assert.fail("nothing reads from a client"),
      taken: (_client, bytes) => void (this.taken += bytes),
    },
    now: () => this.now,
    idleInTransactionMs: () => this.idleLimit,
    keyOf: (client) => backendKey(client, 0),
  });

  constructor(...ids: number[]) {
    this.multiplexer.begin();
    for (const id of ids) this.multiplexer.open(id, new Map());
    this.backend.log.length = 0;
  }

  send(id: number, ...messages: Uint8Array<ArrayBuffer>[]): void {
    for (const message of messages) this.multiplexer.receive(id, message);
    while (this.multiplexer.step());
  }

  query(id: number, sql: string): void {
    this.send(id, writeMessage("Q", sql));
  }

  /** Returns the types of the messages that a client has received since the last call. */
  types(id: number): string {
    const types = (this.heard.get(id) ?? []).map(({ type }) => type).join("");
    this.heard.set(id, []);
    return types;
  }
}

Deno.test("Multiplexer makes other clients wait until a transaction has ended", () => {
  const clients = new Clients(1, 2);
  clients.query(1, "BEGIN");
  clients.query(2, "two");
  assert.deepEqual(clients.backend.log, ["BEGIN"]);
  clients.query(1, "COMMIT");
  assert.deepEqual(clients.backend.log, ["BEGIN", "COMMIT", "two"]);
});

const FLUSH = writeMessage("H");

Deno.test("Multiplexer does not assign the backend to a client for a Flush outside a batch", () => {
  const clients = new Clients(1, 2);
  clients.send(1, writeMessage("P", "s", "SELECT 1", new Uint8Array(2)), SYNC);
  clients.send(1, FLUSH);
  assert.equal(clients.multiplexer.isFree, true);
  clients.query(1, "BEGIN");
  clients.send(1, FLUSH);
  clients.query(1, "COMMIT");
  clients.send(1, FLUSH, FLUSH);
  clients.query(2, "two");
  clients.now = 60_000;
  clients.multiplexer.tick();
  assert.deepEqual(clients.backend.log, ["parse _1_1", "BEGIN", "COMMIT", "two"]);
  assert.deepEqual(clients.ended, []);
});

Deno.test("Multiplexer does not reserve the backend for a client that has only prepared a statement", () => {
  const clients = new Clients(1, 2);
  const parse = writeMessage("P", "s", "SELECT 1", new Uint8Array(2));
  clients.send(1, parse, FLUSH);
  clients.query(2, "two");
  clients.types(1);
  clients.send(1, writeMessage("B", "", "s", new Uint8Array(6)), FLUSH);
  clients.query(2, "waits");
  assert.deepEqual(clients.backend.log, ["parse _1_1", "two", "bind _1_1"]);
  clients.send(1, SYNC);
  assert.equal(clients.types(1), "2Z");
  assert.deepEqual(clients.backend.log.at(-1), "waits");
});

Deno.test("Multiplexer rolls back the transaction of a disconnected client", () => {
  const clients = new Clients(1, 2);
  clients.query(1, "BEGIN");
  clients.multiplexer.close(1);
  clients.query(2, "two");
  assert.deepEqual(clients.backend.log, ["BEGIN", "ROLLBACK", "two"]);
  assert.deepEqual(clients.ended, [1]);
});

Deno.test("Multiplexer renames statements with the same name", () => {
  const clients = new Clients(1, 2);
  const parse = writeMessage("P", "s", "SELECT 1", new Uint8Array(2));
  const bind = writeMessage("B", "", "s", new Uint8Array(6));
  for (const id of [1, 2]) clients.send(id, parse, SYNC);
  for (const id of [1, 2]) clients.send(id, bind, SYNC);
  assert.deepEqual(clients.backend.log, [
    "parse _1_1",
    "parse _2_1",
    "bind _1_1",
    "bind _2_1",
  ]);
});

Deno.test("Multiplexer prepares an unnamed statement again after another client replaced it", () => {
  const clients = new Clients(1, 2);
  const parse = writeMessage("P", "", "SELECT 1", new Uint8Array(2));
  const bind = writeMessage("B", "", "", new Uint8Array(6));
  for (const id of [1, 2]) clients.send(id, parse, SYNC);
  clients.types(1);
  clients.send(1, bind, SYNC);
  assert.deepEqual(clients.backend.log, ["parse ", "parse ", "parse ", "bind "]);
  assert.equal(clients.types(1), "2Z", "the client does not notice");
});

Deno.test("Multiplexer prepares an unnamed statement again after an internal query", () => {
  const clients = new Clients(1);
  clients.send(1, writeMessage("P", "", "SELECT 1", new Uint8Array(2)), SYNC);
  clients.backend.run(writeMessage("Q", "CHECKPOINT"), () => {});
  clients.types(1);
  clients.send(1, writeMessage("B", "", "", new Uint8Array(6)), SYNC);
  assert.deepEqual(clients.backend.log, ["parse ", "CHECKPOINT", "parse ", "bind "]);
  assert.equal(clients.types(1), "2Z", "the client does not notice");
});

Deno.test("Multiplexer refuses a statement that has waited too long, and disconnects idle clients", () => {
  const clients = new Clients(1, 2);
  clients.query(1, "BEGIN");
  clients.query(2, "two");
  clients.types(2);
  clients.now = 14_999;
  clients.multiplexer.tick();
  assert.equal(clients.types(2), "");
  clients.now = 15_000;
  clients.multiplexer.tick();
  const last = clients.heard.get(1)?.at(-1);
  assert.equal(last && errorField(last, "C"), "25P03");
  while (clients.multiplexer.step());
  assert.equal(clients.types(2), "CZ");
});

Deno.test("Multiplexer lets a client wait, and idle in a transaction, as long as its settings allow", () => {
  const clients = new Clients(1);
  clients.multiplexer.open(2, new Map([["options", "-c lock_timeout=2s"]]));
  clients.multiplexer.open(3, new Map([["statement_timeout", "3000"]]));
  clients.query(1, "BEGIN");
  for (const id of [2, 3]) clients.query(id, "waits");
  const tick = (now: number) => {
    clients.now = now;
    clients.multiplexer.tick();
    return [1, 2, 3].map((id) => {
      const error = clients.heard.get(id)?.find(({ type }) => type === "E");
      return error && errorField(error, "C");
    });
  };
  assert.deepEqual(tick(1_999), [undefined, undefined, undefined]);
  assert.deepEqual(tick(2_000), [undefined, "55P03", undefined]);
  assert.deepEqual(tick(3_000), [undefined, "55P03", "57014"]);
  clients.idleLimit = 5_000;
  assert.deepEqual(tick(4_999), [undefined, "55P03", "57014"]);
  assert.deepEqual(tick(5_000), ["25P03", "55P03", "57014"]);
});

Deno.test("milliseconds() reads time settings with and without a unit", () => {
  const given = ["1500", "2s", "1min", "500us", " 3 h ", "0", "soon", undefined];
  const read = [1500, 2000, 60_000, 1, 10_800_000, 0, 0, 0];
  assert.deepEqual(given.map(milliseconds), read);
});

Deno.test("Multiplexer accepts a message that is larger than a client's window", () => {
  const clients = new Clients(1, 2);
  clients.query(2, "BEGIN");
  const message = writeMessage("Q", "x".repeat(3 * SESSION_WINDOW));
  const next = writeMessage("Q", "next");
  const before = clients.taken;
  let sent = 0;
  for (let part = 0; part < 100 && sent < message.byteLength; part++) {
    clients.now += 1_000;
    clients.multiplexer.tick();
    const window = clients.taken - before + SESSION_WINDOW - sent;
    const chunk = message.subarray(sent, sent + Math.min(30_000, window));
    clients.send(1, chunk);
    sent += chunk.byteLength;
  }
  assert.equal(sent, message.byteLength);
  clients.send(1, next);
  clients.query(2, "COMMIT");
  assert.deepEqual(clients.backend.log.map((sql) => sql.length), [5, 6, 3 * SESSION_WINDOW, 4]);
  const own = 2 * writeMessage("Q", "").byteLength + "BEGINCOMMIT".length;
  assert.equal(clients.taken, message.byteLength + next.byteLength + own, "each byte counts once");
});

Deno.test("Multiplexer ends a session after an oversized message", () => {
  const clients = new Clients(1);
  clients.types(1);
  clients.send(1, Uint8Array.of(81, 127, 255, 255, 255));
  const [error] = clients.heard.get(1) ?? [];
  assert.equal(error && errorField(error, "C"), "08P01");
  assert.deepEqual(clients.ended, [1]);
});
