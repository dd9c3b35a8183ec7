import assert from "node:assert/strict";
import { descriptorLimit, nextDescriptor, parseDescriptorLimit } from "./descriptors.ts";

const text = (soft: string) =>
  `Limit                     Soft Limit           Hard Limit           Units
Max processes             64000                64000                processes
Max open files            ${soft}                 524288               files
`;

Deno.test("parseDescriptorLimit() finds the soft limit", () => {
  assert.equal(parseDescriptorLimit(text("1024")), 1024);
  assert.equal(parseDescriptorLimit(text("unlimited")), Infinity);
  assert.equal(parseDescriptorLimit("Max processes 1 2 processes\n"), undefined);
});

Deno.test({
  name: "descriptorLimit() reads the limit of this process",
  ignore: Deno.build.os !== "linux",
  fn: () => assert.ok(descriptorLimit()! > 0),
});

Deno.test({
  name: "nextDescriptor() grows with open descriptors, and stays below the limit",
  ignore: Deno.build.os !== "linux",
  fn: () => {
    const before = nextDescriptor();
    assert.ok(before > 2 && before < descriptorLimit()!);
    const files = Array.from({ length: 20 }, () => Deno.openSync("/dev/null"));
    assert.ok(nextDescriptor() > before);
    for (const file of files) file.close();
  },
});
