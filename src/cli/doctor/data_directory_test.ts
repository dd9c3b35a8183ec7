import assert from "node:assert/strict";
import { join } from "node:path";
import { markUnfinished, writeFormatMark } from "../../lib/data_format.ts";
import { examineDataDir, judgeDataDir, judgeFormat } from "./data_directory.ts";

Deno.test("judgeDataDir() requires a directory that only its owner can access", () => {
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
  assert.equal(judgeDataDir("/data", 0o40755).advice, "Restrict it: chmod 700 /data");
});

Deno.test("judgeFormat() reports which version reads the data, and how to start or complete a migration", () => {
  const judge = (format: number, migration?: { from: number; backup: string }) =>
    judgeFormat({ format, program: "2.0.0", ...(migration && { migration }) }, 2);
  assert.deepEqual(judge(2), {
    name: "data format",
    state: "ok",
    found: "2, written by svc 2.0.0",
  });
  assert.match(judge(3).found, /svc 2\.0\.0 wrote it in format 3, but this version reads up to 2/);
  assert.match(judge(3).advice!, /Use the newer version \(svc upgrade\)/);
  const older = judge(1);
  assert.equal(older.state, "warn");
  assert.match(older.advice!, /Start svc serve: it creates a backup/);
  const halfway = judge(2, { from: 1, backup: "before-format-2.tar" });
  assert.equal(halfway.state, "fail");
  assert.match(halfway.advice!, /continue the migration, or restore before-format-2\.tar/);
});

Deno.test("examineDataDir() reports a directory's problems without changing it", async () => {
  const root = await Deno.makeTempDir({ prefix: "svc-doctor-" });
  const states = async (dataDir: string) => {
    const { points, isReadable } = await examineDataDir(dataDir);
    return [points.map(({ name, state }) => `${name}: ${state}`), isReadable];
  };
  try {
    const data = join(root, "data");
    assert.deepEqual(await states(data), [["data directory: ok"], true]);
    await Deno.mkdir(data, { mode: 0o700 });
    assert.deepEqual(await states(data), [["data directory: ok"], true]);
    await writeFormatMark(data, { format: 1, program: "1.0.0" });
    assert.deepEqual(await states(data), [["data directory: ok", "data format: ok"], true]);
    await Deno.writeTextFile(join(data, "format.json"), "{");
    assert.deepEqual(await states(data), [["data directory: ok", "data format: fail"], false]);
    await markUnfinished(data);
    assert.deepEqual(await states(data), [["data directory: ok", "data format: fail"], false]);
    assert.deepEqual([...Deno.readDirSync(data)].map(({ name }) => name).sort(), [
      "format.json",
      "restoring",
    ]);
    const file = join(root, "file");
    await Deno.writeTextFile(file, "");
    const { points: [point] } = await examineDataDir(join(file, "data"));
    assert.match(point!.found, /cannot be written: /);
    assert.match(point!.advice!, /Run svc as its owner/);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
