import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { listFiles } from "../../scripts/_source_files.ts";
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
  for (const place of [...Object.keys(SOURCE_ONLY), ...Object.keys(LEFT_TO_PROGRAM)]) {
    await Deno.stat(new URL(place, import.meta.url));
  }
  const source = (name: string) => name === "LEAVE_TO_PROGRAM" ? "1" : undefined;
  const program = (name: string) => name === "SVC_BIN" ? "dist/svc" : undefined;
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const files = listFiles(folder).filter((file) => file.endsWith("_test.ts"));
  assert.ok(files.length > 100);
  for (const file of files) {
    const [whole, left] = [leftOut(file, source), leftOut(file, program)];
    assert.ok(whole === "none" || left !== "all", `${file} runs nowhere`);
    // Those that the one leaves out are those that the other has.
    if (left === "some") assert.notEqual(whole, "all");
    assert.equal(leftOut(file, () => undefined), "none");
  }
});
