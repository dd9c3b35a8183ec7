import assert from "node:assert/strict";
import { join } from "node:path";
import { makeTestFolder } from "../src/lib/_test_folder.ts";
import { runSuite } from "./_run_suite.ts";

/** A test that fails until it was run once. */
const FLAKY = `const seen = new URL("seen", import.meta.url);
Deno.test("passes the second time", () => {
  try {
    Deno.statSync(seen);
  } catch {
    Deno.writeTextFileSync(seen, "");
    throw new Error("first failure");
  }
});`;

Deno.test("runSuite() runs a failed file once more, and keeps what failed first", async () => {
  const folder = await makeTestFolder("svc-run-suite-");
  try {
    const files = {
      "bad_test.ts": 'Deno.test("fails", () => Promise.reject(new Error("always")));',
      "flaky_test.ts": FLAKY,
      "good_test.ts": 'Deno.test("passes", () => {});',
    };
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(join(folder, name), text);
    }
    const batches = Object.keys(files).map((name) => ({ files: [join(folder, name)], threads: 1 }));
    const [alone, ...together] = batches;
    let output = "";
    const { counts, flaky, problems } = await runSuite(
      { flags: [], limitMs: 60_000, together, atOnce: 2, alone: [alone!] },
      (bytes) => output += new TextDecoder().decode(bytes),
    );
    assert.deepEqual(counts, { passed: 2, failed: 1, skipped: 0 });
    assert.deepEqual(flaky.map(({ test }) => test), ["passes the second time"]);
    assert.equal(problems.length, 1);
    assert.match(output, /first failure/);
    assert.match(output, /Once more, alone: \S+flaky_test\.ts/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
