import assert from "node:assert/strict";
import { BuildError } from "../build_error.ts";
import { createPackageTally, packageOfPath } from "./package_tally.ts";

const LIMITS = { files: 4, bytes: 2_000 };

Deno.test("createPackageTally() counts packages, files and bytes", () => {
  const tally = createPackageTally(LIMITS);
  tally.add("node_modules/a/index.js", 10);
  tally.add("node_modules/a/b.js", 10);
  tally.add("node_modules/.pnpm/@s+c@1/node_modules/@s/c/index.js", 5);
  assert.deepEqual(tally.total(), { count: 2, files: 3, bytes: 25 });
});

Deno.test("createPackageTally() names the largest packages if the total size is too large", () => {
  const tally = createPackageTally(LIMITS);
  tally.add("node_modules/small/a", 10);
  assert.throws(() => tally.add("server/node_modules/@big/one/lib.so", 4_000), (error) => {
    assert.ok(error instanceof BuildError && error.code === "server_invalid");
    assert.equal(
      error.message,
      "Deploy a server with at most 2.0 KiB of packages. The largest packages are @big/one (3.9 KiB), " +
        "small (10 B)",
    );
    return true;
  });
});

Deno.test("createPackageTally() names the packages with the most files if there are too many", () => {
  const tally = createPackageTally(LIMITS);
  tally.add("node_modules/a/1", 1);
  for (const name of ["1", "2", "3"]) tally.add(`node_modules/icons/${name}`, 1);
  assert.throws(
    () => tally.add("node_modules/icons/4", 1),
    /at most 4 files of packages\. The largest packages are icons \(4 files\), a \(1 file\)$/,
  );
});

Deno.test("packageOfPath() returns the innermost package", () => {
  assert.equal(packageOfPath("a/node_modules/b/node_modules/@c/d/e.js"), "@c/d");
  assert.equal(packageOfPath("svc_packages/packages/ui/index.js"), undefined);
});
