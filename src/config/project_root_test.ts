import assert from "node:assert/strict";
import { join } from "node:path";
import { findProjectRoot, rootCandidates } from "./project_root.ts";
import { inTestFolder } from "../lib/_test_folder.ts";

Deno.test("rootCandidates() goes up to the home directory and no higher", () => {
  assert.deepEqual(rootCandidates("/home/ann/a/b", { home: "/home/ann" }), [
    "/home/ann/a/b",
    "/home/ann/a",
    "/home/ann",
  ]);
});

Deno.test("rootCandidates() goes up to the root outside the home directory", () => {
  assert.deepEqual(rootCandidates("/srv/a", { home: "/home/ann" }), ["/srv/a", "/srv", "/"]);
});

Deno.test("findProjectRoot() finds the nearest svc.toml above, never one below", async () => {
  await inTestFolder(async (home) => {
    const inner = join(home, "outer/inner");
    await Deno.mkdir(join(inner, "src"), { recursive: true });
    await Deno.writeTextFile(join(inner, "svc.toml"), "");
    assert.equal(await findProjectRoot(join(home, "outer"), { home }), undefined);
    await Deno.writeTextFile(join(home, "outer/svc.toml"), "");
    assert.equal(await findProjectRoot(join(inner, "src"), { home }), inner);
    assert.equal(await findProjectRoot(join(home, "outer"), { home }), join(home, "outer"));
  });
});
