import assert from "node:assert/strict";
import { findOutput, type OutputCandidates } from "./find_output.ts";

/**
 * Finds the output in a project with the given paths. A path with a dot in its last segment is a
 * file.
 */
function find(paths: readonly string[], candidates?: OutputCandidates) {
  return findOutput({
    isDirectory: (path) => Promise.resolve(paths.includes(`${path}/`) || path === "."),
    isFile: (path) => Promise.resolve(paths.includes(path)),
  }, candidates);
}

const ROWS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly candidates?: OutputCandidates;
  readonly expected: string;
}[] = [
  { name: "the first usual folder", paths: ["build/", "dist/"], expected: "dist" },
  { name: "the project folder if it has an index.html", paths: ["index.html"], expected: "." },
  {
    name: "a usual folder over the project folder",
    paths: ["index.html", "public/"],
    expected: "public",
  },
  {
    name: "a detected folder",
    paths: ["dist/", "_site/"],
    candidates: { detected: ["_site"] },
    expected: "_site",
  },
  {
    name: "the project folder if it is detected",
    paths: ["index.html", "public/"],
    candidates: { detected: ["."] },
    expected: ".",
  },
  {
    name: "a configured folder over a detected folder",
    paths: ["dist/", "web/out/"],
    candidates: { configured: ["nope", "./web/out/"], detected: ["dist"] },
    expected: "web/out",
  },
  {
    name: "the project folder if it is configured, even without an index.html",
    paths: ["dist/"],
    candidates: { configured: ["."] },
    expected: ".",
  },
];

for (const { name, paths, candidates, expected } of ROWS) {
  Deno.test(`findOutput() chooses ${name}`, async () => {
    assert.deepEqual(await find(paths, candidates), { ok: true, directory: expected });
  });
}

Deno.test("findOutput() lists the folders that it has tried", async () => {
  const usual = await find([]);
  assert.ok(!usual.ok);
  assert.equal(
    usual.message,
    'Cannot find the output directory: tried "dist", "build", "out", "public", "_site", ".output/public", "index.html". Run the build, or set "build.output_dirs" in svc.toml to the output folder ("." for this one)',
  );
  const configured = await find(["dist/"], { configured: ["out", "www"] });
  assert.ok(!configured.ok);
  assert.equal(
    configured.message,
    'Cannot find the output directory: tried "out", "www". Run the build, or correct "build.output_dirs" in svc.toml',
  );
});

Deno.test("findOutput() does not mistake a framework's source folder for its output", async () => {
  const result = await find(["public/", "index.html"], { detected: ["dist"] });
  assert.ok(!result.ok);
  assert.deepEqual(result.tried, ["dist"]);
});

Deno.test("findOutput() refuses configured folders outside the project", async () => {
  const result = await find([], { configured: ["../other"] });
  assert.ok(!result.ok);
  assert.equal(
    result.message,
    'Path "../other" in "build.output_dirs" has "..": it must stay in the project',
  );
});
