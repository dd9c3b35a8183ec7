import assert from "node:assert/strict";
import { join } from "node:path";
import * as z from "zod";
import { systemRandom } from "../../../lib/clock.ts";
import type { OutboundFetch } from "../../../runtime/mod.ts";
import { soleNode } from "../nodes/mod.ts";
import { openKeyRing, SecretBox } from "../secrets/mod.ts";
import { nodeUrlOf } from "./node_url.ts";
import { type OpenPeers, openPeers } from "./open_peers.ts";
import { PeerError } from "./peer_error.ts";

interface Sent {
  readonly body: string;
  /** Changes a response's data in transit. */
  change: ((bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>) | undefined;
}

interface PeerBench {
  /** A node that sends requests, and one that receives them. */
  readonly [name: string]: OpenPeers;
}

/** Two connected nodes; `sent` shows the data that an observer of the network sees. */
async function withPeers(
  run: (
    parts: { readonly a: OpenPeers; readonly b: OpenPeers; readonly sent: Sent[] },
    network: { change: Sent["change"]; times: { a: number; b: number } },
  ) => Promise<void>,
  { sameKeys = true } = {},
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-peers-" });
  const sent: Sent[] = [];
  const network: { change: Sent["change"]; times: { a: number; b: number } } = {
    change: undefined,
    times: { a: 1000, b: 1000 },
  };
  const made: Record<string, OpenPeers> = {};
  const closing = new AbortController();
  const fetch: OutboundFetch = async ({ url, method, body }) => {
    const text = body === null ? "" : await new Response(body).text();
    sent.push({ body: text, change: undefined });
    const answer = await made.b!.handle(new Request(url, { method, body: text }));
    const bytes = new Uint8Array(await answer.arrayBuffer());
    return {
      status: answer.status,
      statusText: "",
      headers: [],
      url,
      redirected: false,
      body: null,
      bytes: network.change?.(bytes) ?? bytes,
    };
  };
  try {
    for (const id of ["a", "b"] as const) {
      const keys = join(folder, sameKeys ? "keys.json" : `${id}.json`);
      const box = new SecretBox(await openKeyRing(keys, systemRandom), systemRandom);
      const self = () => assert.fail("not asked");
      const nodes = soleNode({ id, instance: `${id}1`, self });
      made[id] = openPeers({
        nodes,
        box,
        fetch,
        random: systemRandom,
        closing: closing.signal,
        now: () => network.times[id],
        onTrouble: () => {},
      });
    }
    await run({ a: made.a!, b: made.b!, sent }, network);
  } finally {
    closing.abort();
    await Deno.remove(folder, { recursive: true });
  }
}

const B = { id: "b", instance: "b1", url: "http://b" };
const { signal } = new AbortController();

const ask = (a: PeerBench[string], { peer = B, name = "count", data = 3 as unknown } = {}) =>
  Array.fromAsync(a.ask(peer, { name, data, signal }));

async function* count(to: number) {
  for (let n = 1; n <= to; n++) yield await Promise.resolve({ n, text: "confidential" });
}

const refused = (reason: RegExp) => (error: Error) => {
  assert.ok(error instanceof PeerError, `${error}`);
  assert.match(error.message, reason);
  return true;
};

Deno.test("a node responds to another in parts, and no one in between can read them", () =>
  withPeers(async ({ a, b, sent }, network) => {
    let seen = "";
    network.change = (bytes) => {
      seen += new TextDecoder("latin1").decode(bytes);
      return bytes;
    };
    b.answer("count", z.number(), count);
    assert.deepEqual(await ask(a), [1, 2, 3].map((n) => ({ n, text: "confidential" })));
    assert.ok(!`${seen}${JSON.stringify(sent)}`.includes("confidential"));
    assert.ok(!sent[0]!.body.includes("count"));
  }));

Deno.test("a resent request gets a response encrypted with another key", () =>
  withPeers(async ({ a, b, sent }) => {
    b.answer("count", z.number(), count);
    await ask(a);
    const again = async () => {
      const request = new Request("http://b", { method: "POST", body: sent[0]!.body });
      return (await (await b.handle(request)).bytes()).toHex();
    };
    assert.notEqual(await again(), await again());
  }));

Deno.test("a response that was changed, truncated or reordered is refused", () =>
  withPeers(async ({ a, b }, network) => {
    b.answer("count", z.number(), count);
    network.change = (bytes) => {
      bytes[bytes.length - 1]! ^= 1;
      return bytes;
    };
    await assert.rejects(ask(a), refused(/was modified in transit/));
    network.change = (bytes) => bytes.slice(0, -1);
    await assert.rejects(ask(a), refused(/sent an incomplete response/));
    network.change = (bytes) => {
      const length = 4 + new DataView(bytes.buffer).getUint32(32);
      const [salt, first, second] = [[0, 32], [32, 32 + length], [32 + length, 32 + 2 * length]]
        .map(([start, end]) => bytes.slice(start, end));
      return Uint8Array.from([...salt!, ...second!, ...first!, ...bytes.slice(32 + 2 * length)]);
    };
    await assert.rejects(ask(a), refused(/was modified in transit/));
  }));

Deno.test("requests that are malformed, outdated, misdirected or unknown are refused", () =>
  withPeers(async ({ a, b }, { times }) => {
    b.answer("count", z.number(), count);
    await assert.rejects(
      ask(a, { peer: { ...B, instance: "b0" } }),
      refused(/a different process/),
    );
    await assert.rejects(ask(a, { name: "other" }), refused(/a different version/));
    await assert.rejects(ask(a, { data: "three" }), refused(/a different version/));
    times.b = 62_000;
    await assert.rejects(ask(a), refused(/clock/));
    for (
      const body of ["", "{", '{"keyId":"x","salt":"eA==","sealed":"eA=="}', "x".repeat(200_000)]
    ) {
      const answer = await b.handle(new Request("http://b", { method: "POST", body }));
      assert.ok([400, 403].includes(answer.status), `${answer.status}`);
    }
  }));

Deno.test("a node with different keys is refused", () =>
  withPeers(async ({ a, b }) => {
    b.answer("count", z.number(), count);
    await assert.rejects(ask(a), refused(/the same keys file/));
  }, { sameKeys: false }));

Deno.test("a failing node reports the failure, but not the reason", () =>
  withPeers(async ({ a, b }) => {
    b.answer("fail", z.null(), async function* () {
      yield await Promise.resolve(1);
      throw new Error("its own path");
    });
    await assert.rejects(
      ask(a, { name: "fail", data: null }),
      refused(/See its log for the reason$/),
    );
  }));

Deno.test("nodeUrlOf() returns the URL from the operator, the listener or the machine", () => {
  const found = (host: string, nodeUrl?: string) =>
    nodeUrlOf({ nodeUrl, host, port: 8787 }, () => [
      { address: "127.0.0.1", family: "IPv4" },
      { address: "fe80::1", family: "IPv6" },
      { address: "2001:db8::1", family: "IPv6" },
      { address: "10.0.0.7", family: "IPv4" },
    ]);
  assert.equal(found("10.0.0.1"), "http://10.0.0.1:8787");
  assert.equal(found("0.0.0.0"), "http://10.0.0.7:8787");
  assert.equal(found("::"), "http://10.0.0.7:8787");
  assert.equal(found("::1"), "http://[::1]:8787");
  assert.equal(found("0.0.0.0", "http://a.internal:9000/"), "http://a.internal:9000");
});
