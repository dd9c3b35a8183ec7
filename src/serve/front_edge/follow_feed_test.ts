import assert from "node:assert/strict";
import type { FeedMessage } from "../../feed/mod.ts";
import type { FeedLine } from "../../platform/edges/mod.ts";
import { until } from "../../lib/_test_until.ts";
import { followFeed } from "./follow_feed.ts";
import { PlatformClient } from "./platform_client.ts";

const removed = (hostname: string): FeedMessage => ({ type: "host_removed", hostname });
const HELLO: FeedLine = {
  type: "hello",
  edge: "far",
  session: "0".repeat(32),
  secret: "AAAA",
  time: 0,
  redirectsToHttps: false,
};
const snapshot = (place: number, ...messages: FeedMessage[]): FeedLine => ({
  type: "snapshot",
  place,
  messages,
});
const change = (place: number, hostname: string): FeedLine => ({
  type: "change",
  place,
  message: removed(hostname),
});

/** Follows feeds with these lines, one after another. The last feed stays open. */
async function followed(feeds: readonly (readonly unknown[])[], isDone: (seen: string) => boolean) {
  const closing = new AbortController();
  const seen: string[] = [];
  let at = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: closing.signal },
    (request) => {
      if (request.method === "POST") return new Response(null, { status: 204 });
      const isLast = at === feeds.length - 1;
      const text = feeds[Math.min(at++, feeds.length - 1)]!
        .map((line) => typeof line === "string" ? line : JSON.stringify(line)).join("\n") + "\n";
      const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
      const writer = writable.getWriter();
      writer.write(new TextEncoder().encode(text))
        .then(() => isLast ? undefined : writer.close()).catch(() => {});
      return new Response(readable);
    },
  );
  const { port } = server.addr;
  const following = followFeed({
    client: new PlatformClient({ join: new URL(`http://127.0.0.1:${port}`), key: "k" }),
    version: "test",
    signal: closing.signal,
    apply: (message) => void seen.push(message.type === "host_removed" ? message.hostname : "?"),
    replace: (messages) => void seen.push(`[${messages.length}]`),
    onHello: () => {},
    onAlive: () => {},
    onState: (state) => seen.at(-1) === state || void seen.push(state),
    onRefused: () => {},
    onTrouble: () => {},
  });
  try {
    await until(() => isDone(seen.join(" ")));
  } finally {
    closing.abort();
  }
  await Promise.all([following, server.finished]);
  return seen.filter((each) => each !== "current").join(" ");
}

Deno.test("a repeated change, or a change before the snapshot, is not applied", async () => {
  const lines = [
    HELLO,
    snapshot(3),
    change(4, "a"),
    change(4, "a"),
    change(2, "old"),
    change(5, "b"),
  ];
  assert.equal(await followed([lines], (seen) => seen.includes("b")), "[0] a b");
});

Deno.test("a gap or an invalid message ends the connection, and a snapshot follows", async () => {
  for (
    const bad of [change(9, "gap"), "not json", { type: "evil" }, { ...change(5, "x"), place: -1 }]
  ) {
    const first = [HELLO, snapshot(3), change(4, "a"), bad, change(5, "never")];
    const second = [HELLO, snapshot(7, removed("x")), change(8, "b")];
    const seen = await followed([first, second], (text) => text.includes("b"));
    assert.match(seen, /^\[0\] a (?:lost )+\[1\] b$/, JSON.stringify(bad));
  }
});

Deno.test("an edge trusts a feed that starts at an earlier position after a restore", async () => {
  const feeds = [[HELLO, snapshot(90), change(91, "a")], [HELLO, snapshot(2), change(3, "b")]];
  assert.match(await followed(feeds, (seen) => seen.includes("b")), /^\[0\] a (?:lost )+\[0\] b$/);
});

Deno.test("a feed that stays open after a gap is left, and the gap is reported", async () => {
  const closing = new AbortController();
  const lines = [HELLO, snapshot(3), change(9, "gap")].map((line) => `${JSON.stringify(line)}\n`);
  const send = () => {
    const start = (body: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) =>
      body.enqueue(new TextEncoder().encode(lines.join("")));
    return Promise.resolve(new Response(new ReadableStream({ start })));
  };
  const troubles: string[] = [];
  await followFeed({
    client: { send },
    version: "test",
    signal: closing.signal,
    apply: () => {},
    replace: () => {},
    onHello: () => {},
    onAlive: () => {},
    onState: () => {},
    onRefused: () => {},
    onTrouble(message) {
      troubles.push(message);
      closing.abort();
    },
  });
  assert.deepEqual(troubles, ["Lost the connection to the platform: a change is missing"]);
});
