import assert from "node:assert/strict";
import { IN_PROCESS, LEFT_TO_PROGRAM, leftOut, SOURCE_ONLY } from "./_in_process.ts";

Deno.test("every test that is left out for the compiled program exists", async () => {
  for (const [file, reasons] of Object.entries(IN_PROCESS)) {
    const text = await Deno.readTextFile(new URL(file, import.meta.url));
    if (typeof reasons === "string") continue;
    for (const name of Object.keys(reasons)) {
      // A test of both engines names its engine at the end.
      const title = name.replace(/ \((?:deno|node)\)$/, "");
      assert.ok(text.includes(JSON.stringify(title)), `${file} has no test "${title}"`);
    }
  }
});

Deno.test("every test runs from source or against the compiled program", async () => {
  for (const file of [...Object.keys(SOURCE_ONLY), ...Object.keys(LEFT_TO_PROGRAM)]) {
    await Deno.stat(new URL(file, import.meta.url));
  }
  const source = leftOut((name) => name === "LEAVE_TO_PROGRAM" ? "1" : undefined);
  const program = leftOut((name) => name === "SVC_BIN" ? "dist/svc" : undefined);
  assert.deepEqual(source.whole.filter((file) => program.whole.includes(file)), []);
  assert.deepEqual(leftOut(() => undefined), { whole: [], parts: [] });
});
