import assert from "node:assert/strict";
import type { ComputeSocket } from "../../runtime/mod.ts";
import type { ClientSocket } from "../request/client_request.ts";
import { forwardedCloseCode, relayWebSocket } from "./relay_websocket.ts";
import { until } from "../../lib/_test_until.ts";

const ROWS: readonly (readonly [code: number, passed: number | undefined])[] = [
  [1000, 1000],
  [1001, 4001],
  [1005, undefined],
  [1006, 4006],
  [1011, 4011],
  [1015, 4015],
  [3000, 3000],
  [4999, 4999],
  [2000, 1000],
  [0, 1000],
];

for (const [code, passed] of ROWS) {
  Deno.test(`forwardedCloseCode() returns ${passed} for ${code}`, () =>
    assert.equal(forwardedCloseCode(code), passed));
}

type Message = string | Uint8Array;

/** Connects two sockets through a relay. The test acts as both client and server. */
function joined(
  options: {
    readonly serverTakes?: () => Promise<void>;
    readonly readyState?: number;
    readonly openMs?: number;
  } = {},
) {
  const toServer: Message[] = [];
  const toClient: Message[] = [];
  const closed: { side: string; code: number | undefined }[] = [];
  const queue: IteratorResult<Message, { code: number; reason: string }>[] = [];
  let wake = () => {};
  const server: ComputeSocket = {
    protocol: "",
    async send(message) {
      await options.serverTakes?.();
      toServer.push(message);
    },
    close: (code) => void closed.push({ side: "server", code }),
    messages: {
      async next() {
        while (queue.length === 0) await new Promise<void>((resolve) => wake = resolve);
        return queue.shift()!;
      },
    },
  };
  const client: ClientSocket = {
    binaryType: "blob",
    bufferedAmount: 0,
    readyState: options.readyState ?? WebSocket.OPEN,
    onopen: null,
    onmessage: null,
    onclose: null,
    onerror: null,
    send: (message) => void toClient.push(message),
    close: (code) => void closed.push({ side: "client", code }),
  };
  relayWebSocket(client, server, options.openMs);
  const socket = client as unknown as WebSocket;
  return {
    toServer,
    toClient,
    closed,
    client,
    open: () => socket.onopen?.call(socket, new Event("open")),
    fromClient: (data: string | ArrayBuffer) =>
      socket.onmessage?.call(socket, new MessageEvent("message", { data })),
    clientFails: () => socket.onerror?.call(socket, new Event("error")),
    clientCloses: (code: number) =>
      socket.onclose?.call(socket, new CloseEvent("close", { code, reason: "why" })),
    fromServer: (message: Message) => {
      queue.push({ done: false, value: message });
      wake();
    },
    serverCloses: (code: number) => {
      queue.push({ done: true, value: { code, reason: "why" } });
      wake();
    },
  };
}

const settled = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
};

Deno.test("relayWebSocket() passes messages in order, and the server's messages once the client is connected", async () => {
  const pair = joined();
  pair.fromServer("early");
  await settled();
  assert.deepEqual(pair.toClient, []);
  pair.open();
  pair.fromClient("one");
  pair.fromClient(new Uint8Array([1, 2]).buffer);
  pair.fromServer(new Uint8Array([3]));
  await settled();
  assert.deepEqual(pair.toClient, ["early", new Uint8Array([3])]);
  assert.deepEqual(pair.toServer, ["one", new Uint8Array([1, 2])]);
});

Deno.test("relayWebSocket() closes the other side, after all earlier messages", async () => {
  const first = joined();
  first.open();
  first.fromClient("last");
  first.clientCloses(4001);
  await settled();
  assert.deepEqual([first.toServer, first.closed], [["last"], [{ side: "server", code: 4001 }]]);
  const second = joined();
  second.open();
  second.fromServer("last");
  second.serverCloses(1011);
  await settled();
  assert.deepEqual([second.toClient, second.closed], [["last"], [{ side: "client", code: 4011 }]]);
});

Deno.test("relayWebSocket() disconnects a client that sends faster than the server reads", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const pair = joined({ serverTakes: () => promise });
  pair.open();
  for (let part = 0; part < 17; part++) pair.fromClient(new ArrayBuffer(1024 * 1024));
  await settled();
  assert.deepEqual(pair.closed, [
    { side: "server", code: 1000 },
    { side: "client", code: 4013 },
  ]);
  resolve();
});

Deno.test("relayWebSocket() disconnects a client that sends empty messages endlessly", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const pair = joined({ serverTakes: () => promise });
  pair.open();
  for (let count = 0; count < 40_000; count++) pair.fromClient("");
  await settled();
  assert.deepEqual(pair.closed.at(-1), { side: "client", code: 4013 });
  resolve();
});

Deno.test("relayWebSocket() pauses the server while the client's buffer is full", async () => {
  const pair = joined();
  pair.open();
  Object.assign(pair.client, { bufferedAmount: 2 * 1024 * 1024 });
  pair.fromServer("one");
  pair.fromServer("two");
  await settled();
  assert.deepEqual(pair.toClient, ["one"]);
  Object.assign(pair.client, { bufferedAmount: 0 });
  await until(() => pair.toClient.length === 2);
  assert.deepEqual(pair.toClient, ["one", "two"]);
});

Deno.test("relayWebSocket() closes the server's socket when the client's connection fails before it is open", async () => {
  const pair = joined({ readyState: WebSocket.CONNECTING, openMs: 1 });
  pair.clientFails();
  assert.deepEqual(pair.closed, [{ side: "server", code: undefined }]);
  await until(() => pair.closed.length === 2);
});

Deno.test("relayWebSocket() closes the server's socket if the client never connects", async () => {
  const pair = joined({ readyState: WebSocket.CONNECTING, openMs: 1 });
  await until(() => pair.closed.length > 0);
  assert.deepEqual(pair.closed, [{ side: "server", code: undefined }]);
});
