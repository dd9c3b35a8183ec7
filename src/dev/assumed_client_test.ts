import assert from "node:assert/strict";
import { parseAssumed } from "./assumed_client.ts";

const READABLE: readonly (readonly [text: string, assumed: object])[] = [
  ["country=de", { country: "DE" }],
  [" asn = 64500 ; device=mobile;", { asn: 64500, device: "mobile" }],
  ["ip=2001:db8::1", { ip: "2001:db8::1" }],
  ["", {}],
];

for (const [text, assumed] of READABLE) {
  Deno.test(`parseAssumed() reads "${text}"`, () => {
    assert.deepEqual(parseAssumed(text), assumed);
  });
}

for (
  const text of ["country=Germany", "asn=0", "asn=4294967296", "device=tv", "ip=x", "__proto__=1"]
) {
  Deno.test(`parseAssumed() refuses "${text}" and explains the format`, () => {
    const problem = parseAssumed(text);
    assert.ok(typeof problem === "string");
    assert.ok(problem.startsWith(`Cannot read "${text}". Write svc-dev: country=DE`));
  });
}
