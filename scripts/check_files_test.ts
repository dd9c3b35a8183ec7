import assert from "node:assert/strict";
import { findRegistryHosts, REGISTRY_HOSTS } from "./check_hosts.ts";
import { findLongFiles, MAX_SOURCE_LINES, MAX_TEST_LINES } from "./check_lengths.ts";
import { findProgramStarts } from "./check_programs.ts";
import { findTextReads } from "./check_text_reads.ts";

const lines = (count: number): string => "x\n".repeat(count);

Deno.test("findLongFiles() accepts files of exactly the maximum length", () => {
  assert.deepEqual(
    findLongFiles([
      { path: "src/a.ts", text: lines(MAX_SOURCE_LINES) },
      { path: "src/a_test.ts", text: lines(MAX_TEST_LINES) },
      { path: "tests/e2e/_platform.ts", text: lines(MAX_TEST_LINES) },
    ]),
    [],
  );
});

Deno.test("findLongFiles() reports the first excess line and suggests a solution", () => {
  assert.deepEqual(findLongFiles([{ path: "src/a.ts", text: lines(MAX_SOURCE_LINES + 2) }]), [
    "src/a.ts:401: Keep a source file within 400 lines: it has 402; split it by subject",
  ]);
  assert.match(
    findLongFiles([{ path: "src/a_test.ts", text: lines(MAX_TEST_LINES + 1) }])[0]!,
    /^src\/a_test\.ts:501: Keep a test file within 500 lines/,
  );
});

for (const host of REGISTRY_HOSTS) {
  Deno.test(`findRegistryHosts() finds ${host} with its line`, () => {
    const problems = findRegistryHosts([{ path: "deno.lock", text: `{\n"https://${host}/x"\n}` }]);
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, /^deno\.lock:2: Remove the registry host /);
  });
}

Deno.test("findRegistryHosts() accepts package names and other hosts", () => {
  const text = '"npm:zod@4.6.7", https://svc.test/, deno.land, npmjs';
  assert.deepEqual(findRegistryHosts([{ path: "deno.json", text }]), []);
});

Deno.test("findProgramStarts() finds programs that are started outside the allowed files", () => {
  const text = 'const child = new Deno.Command("git").spawn();\n';
  assert.match(
    findProgramStarts([{ path: "src/a.ts", text }])[0]!,
    /^src\/a\.ts:1: Start programs /,
  );
  const allowed = [
    "src/lib/spawn_program.ts",
    "src/a_test.ts",
    "src/lib/_test_git.ts",
    "scripts/a.ts",
  ];
  assert.deepEqual(findProgramStarts(allowed.map((path) => ({ path, text }))), []);
});

Deno.test("findTextReads() finds text files that are read outside the allowed files", () => {
  const text = "const text = await Deno.readTextFile(path);\n";
  assert.match(findTextReads([{ path: "src/a.ts", text }])[0]!, /^src\/a\.ts:1: Read text with /);
  const allowed = ["src/a_test.ts", "scripts/a.ts", "src/platform/git/mirror.ts"];
  assert.deepEqual(findTextReads(allowed.map((path) => ({ path, text }))), []);
});
