import assert from "node:assert/strict";
import { examine, judgeDataDir } from "./examine.ts";

Deno.test("judgeDataDir() wants a directory for its owner only", () => {
  const rows: readonly (readonly [number | null | undefined, string])[] = [
    [undefined, "ok"],
    [null, "ok"],
    [0o40700, "ok"],
    [0o40710, "ok"],
    [0o40701, "fail"],
    [0o40750, "fail"],
    [0o40777, "fail"],
  ];
  for (const [mode, state] of rows) assert.equal(judgeDataDir("/data", mode).state, state);
  assert.equal(judgeDataDir("/data", 0o40755).advice, "Close it: chmod 700 /data");
});

Deno.test("examine() looks at each point, and advises where one fails", async () => {
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
    "memory watch",
    "process limits",
    "esbuild",
    "git",
    "databases",
    "build sandbox",
    "disk",
    "data directory",
  ]);
  for (const { state, advice } of points) assert.equal(state === "ok", advice === undefined);
  assert.equal(points.find(({ name }) => name === "esbuild")!.state, "ok");
  await Deno.remove(folder, { recursive: true });
});
