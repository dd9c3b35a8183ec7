import assert from "node:assert/strict";
import { processorMs } from "./processor_time.ts";

Deno.test("processorMs() grows while a process uses the CPU", () => {
  const before = processorMs(Deno.pid)!;
  while (processorMs(Deno.pid)! < before + 50) JSON.stringify(new Array(10_000).fill(0));
  assert.equal(processorMs(2 ** 22), undefined, "no process has this ID");
});
