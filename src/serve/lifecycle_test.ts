import assert from "node:assert/strict";
import { keepHouse } from "./lifecycle.ts";

Deno.test("keepHouse() goes on after a capability that fails, from the last to the first", async () => {
  const lines: string[] = [];
  const log = ({ message }: { readonly message: string }) => void lines.push(message);
  const capabilities = [
    { name: "accounts", keepHouse: () => Promise.resolve(["2 sessions removed"]) },
    { name: "hooks" },
    { name: "builds", keepHouse: () => Promise.reject(new Error("the disk is full")) },
    { name: "health", keepHouse: () => Promise.resolve(["1 record removed"]) },
  ];
  await keepHouse(capabilities, { signal: new AbortController().signal, log });
  assert.deepEqual(lines, [
    "Housekeeping: 1 record removed",
    "Housekeeping of builds failed: Error: the disk is full",
    "Housekeeping: 2 sessions removed",
  ]);
});
