import assert from "node:assert/strict";
import { examine } from "./examine.ts";

const LANGUAGES = [
  "go",
  "rust",
  "python",
  "ruby",
  "php",
  "java",
  "elixir",
  "dockerfile",
  "jekyll",
  "hugo",
];

Deno.test("examine() checks each point, and gives advice if one fails", async () => {
  const folder = await Deno.makeTempDir();
  const points = await examine({
    dataDir: `${folder}/data`,
    cacheDir: `${folder}/cache`,
    env: Deno.env.toObject(),
    now: Date.now(),
  });
  assert.deepEqual(points.map(({ name }) => name), [
    "sandbox network",
    "sandbox files",
    "sandbox on Node",
    "node",
    "memory watch",
    "process limits",
    "esbuild",
    "git",
    ...LANGUAGES,
    "countries",
    "databases",
    "build sandbox",
    "disk",
    "data directory",
  ]);
  for (const { state, advice } of points) assert.equal(state === "ok", advice === undefined);
  assert.equal(points.find(({ name }) => name === "esbuild")!.state, "ok");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("examine() reports a data directory that svc serve cannot create", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/file`, "");
  const points = await examine({
    dataDir: `${folder}/file/data`,
    cacheDir: `${folder}/cache`,
    env: Deno.env.toObject(),
    now: Date.now(),
  });
  const { state, found } = points.find(({ name }) => name === "data directory")!;
  assert.equal(state, "fail");
  assert.match(found, /cannot be written: a part of its path is a file/);
  await Deno.remove(folder, { recursive: true });
});
