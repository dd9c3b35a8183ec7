import assert from "node:assert/strict";
import type { DnsAnswer } from "./dns_lookup.ts";
import { judgeProof, judgeRouting, type RoutingFacts } from "./judge_dns.ts";

const NAME = "_svc-challenge.shop.example";
const VALUE = "svc-verify=0123";
const found = (...values: string[]): DnsAnswer => ({ type: "found", values });
const none: DnsAnswer = { type: "missing", reason: "NODATA" };
const nx: DnsAnswer = { type: "missing", reason: "NXDOMAIN" };
const failed = (reason: string): DnsAnswer => ({ type: "failed", reason });

const proofs: [name: string, DnsAnswer, DnsAnswer, string | null, RegExp | null][] = [
  ["the right value", found(VALUE), none, null, null],
  ["the right value among others", found("spf", VALUE), none, null, null],
  ["no name", nx, nx, "NXDOMAIN", /^Create the TXT record at _svc-challenge/],
  ["no record", none, nx, "NODATA", /^Create the TXT record/],
  ["a doubled name", nx, found(VALUE), "NXDOMAIN", /contains the domain twice/],
  ["quotes in the value", found(`"${VALUE}"`), none, null, /almost right.* without quotes/],
  ["an old value", found("svc-verify=9999"), none, null, /^Set the expected value/],
  ["several wrong values", found("a", "b"), none, null, /^Add a record/],
  ["SERVFAIL", failed("SERVFAIL"), none, "SERVFAIL", /DNSSEC/],
  ["a timeout", failed("TIMEOUT"), none, "TIMEOUT", /in time/],
  ["a refusal", failed("REFUSED"), none, "REFUSED", /REFUSED/],
];

for (const [name, answer, doubled, failure, hint] of proofs) {
  Deno.test(`judgeProof() judges ${name}`, () => {
    const check = judgeProof({ name: NAME, expected: VALUE, answer, doubled });
    assert.equal(check.ok, hint === null);
    assert.equal(check.failure, failure);
    if (hint === null) assert.equal(check.hint, null);
    else assert.match(check.hint ?? "", hint);
    assert.deepEqual(check.seen, answer.type === "found" ? answer.values : []);
    assert.deepEqual(check.expected, [VALUE]);
  });
}

Deno.test("judgeProof() shows a limited number of the values found, without control characters", () => {
  const answer = found("\x1b[31mred\u0007", "y".repeat(5000), ...Array(50).fill("z"));
  const { seen } = judgeProof({ name: NAME, expected: VALUE, answer, doubled: none });
  assert.equal(seen[0], "\uFFFD[31mred\uFFFD");
  assert.equal(seen[1]?.length, 300);
  assert.equal(seen.length, 10);
});

const facts: RoutingFacts = {
  hostname: "www.shop.example",
  apex: false,
  target: "cname.apps.example",
  addresses: ["192.0.2.1", "2001:db8::1"],
  cname: none,
  a: none,
  aaaa: none,
};

const routings: [name: string, Partial<RoutingFacts>, RegExp | null][] = [
  ["a CNAME to the target", { cname: found("cname.apps.example") }, null],
  ["addresses of the platform", { a: found("192.0.2.1"), aaaa: found("2001:DB8:0::1") }, null],
  ["one address of the platform", { a: found("192.0.2.1") }, null],
  [
    "a CNAME elsewhere",
    { cname: found("x.example"), a: found("198.51.100.1") },
    /points at x.example/,
  ],
  ["an alias that leads here anyway", {
    cname: found("alias.example"),
    a: found("192.0.2.1"),
  }, null],
  ["an address elsewhere", { a: found("198.51.100.1") }, /currently points at 198.51.100.1$/],
  ["a stray AAAA", { a: found("192.0.2.1"), aaaa: found("2001:db8::9") }, /Remove .*2001:db8::9/],
  ["nothing", { cname: nx, a: nx, aaaa: nx }, /currently has no address/],
  ["a failure", { cname: failed("SERVFAIL"), a: failed("SERVFAIL"), aaaa: none }, /SERVFAIL/],
  [
    "unknown own addresses",
    { addresses: [], a: found("192.0.2.1") },
    /cannot check the addresses of/,
  ],
  ["an apex that leads nowhere", { apex: true }, /Point .* at 192.0.2.1, 2001:db8::1/],
  ["an apex without known addresses", { apex: true, addresses: [] }, /addresses of cname.apps/],
];

for (const [name, given, hint] of routings) {
  Deno.test(`judgeRouting() judges ${name}`, () => {
    const check = judgeRouting({ ...facts, ...given });
    assert.equal(check.ok, hint === null, check.hint ?? "");
    if (hint !== null) assert.match(check.hint ?? "", hint);
  });
}
