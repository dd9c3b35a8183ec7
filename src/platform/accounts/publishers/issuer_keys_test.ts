import assert from "node:assert/strict";
import type { OutboundFetch } from "../../../runtime/mod.ts";
import { DocumentError } from "./fetch_document.ts";
import { IssuerKeys } from "./issuer_keys.ts";

const ISSUER = "https://issuer.test";
const MINUTE = 60_000;

/**
 * Creates an `IssuerKeys` with a fake issuer, which responds with its documents and with
 * `state.status`.
 */
function bench(ids: string[]) {
  const state = { now: Date.UTC(2026, 10, 23), status: 200, asked: 0, ids };
  const outbound: OutboundFetch = ({ url }) => {
    state.asked++;
    const document = url.endsWith("/keys")
      ? { keys: state.ids.map((kid) => ({ kty: "RSA", kid, n: "n", e: "AQAB" })) }
      : { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` };
    return Promise.resolve({
      status: state.status,
      statusText: "",
      headers: [],
      body: null,
      url,
      redirected: false,
      bytes: new TextEncoder().encode(JSON.stringify(document)),
    });
  };
  const keys = new IssuerKeys({ outbound, allowHttp: false, now: () => state.now });
  return {
    state,
    find: async (kid: string) => (await keys.find(ISSUER, kid)).length,
    findAt: (issuer: string) => keys.find(issuer, "a"),
  };
}

Deno.test("IssuerKeys reads keys once an hour, and once a minute for an unknown key", async () => {
  const { state, find } = bench(["a"]);
  const all = await Promise.all(Array.from({ length: 20 }, () => find("a")));
  assert.deepEqual([...new Set(all)], [1]);
  assert.equal(state.asked, 2, "one document and one key set for all");
  for (let count = 0; count < 20; count++) assert.equal(await find(`none-${count}`), 0);
  assert.equal(state.asked, 2);
  state.ids.push("b");
  state.now += MINUTE;
  assert.equal(await find("b"), 1);
  assert.equal(state.asked, 4);
  state.now += 59 * MINUTE;
  await find("a");
  assert.equal(state.asked, 4);
  state.now += MINUTE;
  await find("a");
  assert.equal(state.asked, 6);
});

Deno.test("IssuerKeys uses known keys for a day if their issuer does not respond", async () => {
  const { state, find } = bench(["a"]);
  await find("a");
  state.status = 503;
  state.now += 23 * 60 * MINUTE;
  assert.equal(await find("a"), 1);
  await assert.rejects(find("b"), DocumentError);
  state.now += 60 * MINUTE;
  await assert.rejects(
    find("a"),
    /Cannot read https:\/\/issuer\.test\/\S+ it responded with status 503/,
  );
  const { asked } = state;
  await assert.rejects(find("a"), DocumentError);
  assert.equal(state.asked, asked, "a failure is remembered for a few seconds");
  state.status = 200;
  state.now += 10_000;
  assert.equal(await find("a"), 1);
});

Deno.test("IssuerKeys forgets a key that its issuer no longer publishes", async () => {
  const { state, find } = bench(["a", "b"]);
  await find("a");
  state.ids.shift();
  state.now += 60 * MINUTE;
  assert.equal(await find("a"), 0);
  assert.equal(await find("b"), 1);
});

Deno.test("IssuerKeys sends no request to issuers without HTTPS", async () => {
  const { state, findAt } = bench(["a"]);
  await assert.rejects(findAt("http://issuer.test"), /issuers must use https/);
  assert.equal(state.asked, 0);
});
