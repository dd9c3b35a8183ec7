import assert from "node:assert/strict";
import { descriptorLimit, nextDescriptor, readDescriptorLimit } from "./descriptors.ts";

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             63432                63432                processes
Max open files            1024                 524288               files
Max locked memory         8388608              8388608              bytes
`;

Deno.test("readDescriptorLimit() finds the soft limit", () => {
  assert.equal(readDescriptorLimit(LIMITS), 1024);
  assert.equal(readDescriptorLimit("Limit\n"), undefined);
});

Deno.test({
  name: "nextDescriptor() grows with what is open, and stays below the limit",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const before = nextDescriptor();
    assert.ok(before > 2 && before < (await descriptorLimit())!);
    const files = Array.from({ length: 20 }, () => Deno.openSync("/dev/null"));
    assert.ok(nextDescriptor() > before);
    for (const file of files) file.close();
  },
});
