import assert from "node:assert/strict";
import { createFacts, factsFromRequest, requestHost } from "./facts.ts";
import { factsOf } from "../_test_rules.ts";

Deno.test("factsFromRequest() reads host, path and query from a URL", () => {
  const facts = factsOf({ url: "https://BÜCHER.test:8080/a/../b/%2e/c?x=1#y", method: "post" });
  assert.deepEqual([facts.method, facts.host, facts.path, facts.rawQuery], [
    "POST",
    "xn--bcher-kva.test",
    "/b/c",
    "x=1",
  ]);
});

Deno.test("factsFromRequest() reads the host from the Host header if the URL is a path", () => {
  assert.equal(factsOf({ url: "/a", headers: { host: "One.test:80" } }).host, "one.test");
  assert.equal(factsOf("/a").host, "localhost");
});

Deno.test("factsFromRequest() returns the reason why a path is rejected", () => {
  assert.deepEqual(factsFromRequest({ url: "/a%00" }), { rejected: "encoded_nul" });
});

Deno.test("factsFromRequest() refuses an invalid host", () => {
  assert.throws(() => factsFromRequest({ url: "http://a b/" }), TypeError);
});

const HOSTS: readonly [text: string, host: string | undefined][] = [
  ["A.test", "a.test"],
  ["a.test.", "a.test"],
  ["a.test:443", "a.test"],
  ["[::1]:80", "[::1]"],
  ["bücher.test", "xn--bcher-kva.test"],
  ["a.test/evil", undefined],
  ["user@a.test", undefined],
  ["a test", undefined],
  ["a.test:x", undefined],
  ["a\\b", undefined],
];

Deno.test("requestHost() returns the canonical host, and rejects anything else", async (t) => {
  for (const [text, host] of HOSTS) {
    await t.step(text, () => assert.equal(requestHost(text), host));
  }
});

Deno.test("a second question mark belongs to the name of the first parameter", () => {
  const facts = factsOf({ url: "/??a=1&b=2" });
  assert.deepEqual([facts.query("?a"), facts.query("a"), facts.query("b")], [["1"], [], ["2"]]);
});

Deno.test("facts decode queries and keep cookies unchanged", () => {
  const facts = factsOf({
    url: "/?q=a%20b&q=c+d&e",
    headers: { cookie: 'a=1; b="x"; a=2; junk; c=d=e' },
  });
  assert.deepEqual(facts.query("q"), ["a b", "c d"]);
  assert.deepEqual(facts.query("e"), [""]);
  assert.deepEqual(facts.query("__proto__"), []);
  assert.deepEqual(facts.cookie("a"), ["1", "2"]);
  assert.deepEqual(facts.cookie("b"), ['"x"']);
  assert.deepEqual(facts.cookie("c"), ["d=e"]);
  assert.deepEqual(facts.cookie("junk"), []);
});

Deno.test("createFacts() computes each costly fact only once, and only on demand", () => {
  const asked: string[] = [];
  const facts = createFacts({
    method: "GET",
    host: "a.test",
    path: "/",
    rawQuery: "",
    header: () => null,
    ip: "10.0.0.1",
    country: () => void asked.push("country"),
    asn: () => (asked.push("asn"), 64500),
    device: () => (asked.push("device"), "bot"),
  });
  assert.deepEqual(asked, []);
  for (let round = 0; round < 2; round++) {
    assert.equal(facts.country(), undefined);
    assert.equal(facts.asn(), 64500);
    assert.equal(facts.device(), "bot");
    assert.deepEqual(facts.ip(), { family: 4, value: 0x0a000001 });
  }
  assert.deepEqual(asked, ["country", "asn", "device"]);
});
