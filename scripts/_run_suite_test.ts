import assert from "node:assert/strict";
import { join } from "node:path";
import { makeTestFolder } from "../src/lib/_test_folder.ts";
import { runSuite } from "./_run_suite.ts";

Deno.test("runSuite() runs each file once, and names what failed and how long it took", async () => {
  const folder = await makeTestFolder("svc-run-suite-");
  try {
    const files = {
      "bad_test.ts": 'Deno.test("fails", () => Promise.reject(new Error("always")));',
      "good_test.ts": 'Deno.test("passes", () => {});',
    };
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(join(folder, name), text);
    }
    const batches = Object.keys(files).map((name) => ({ files: [join(folder, name)], threads: 1 }));
    let output = "";
    const { counts, problems, times } = await runSuite(
      { limitMs: 60_000, batches, atOnce: 2 },
      (bytes) => output += new TextDecoder().decode(bytes),
    );
    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
    assert.equal(problems.length, 1);
    assert.equal(output.match(/^error: .*always/gm)?.length, 1);
    assert.equal(times.length, 2);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
