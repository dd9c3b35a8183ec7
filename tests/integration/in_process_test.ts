import assert from "node:assert/strict";
import { IN_PROCESS } from "./_in_process.ts";

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
