import assert from "node:assert/strict";
import { join } from "node:path";
import { describeFileFault, findWriteFault, withPath } from "./file_fault.ts";
import { inTestFolder } from "./_test_folder.ts";

const faultOf = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("Expected a fault");
};

Deno.test("describeFileFault() describes system errors in words, without numbers", () =>
  inTestFolder(async (folder) => {
    const file = join(folder, "file");
    await Deno.writeTextFile(file, "");
    const loop = join(folder, "loop");
    await Deno.symlink(loop, loop);
    const long = join(folder, "x".repeat(300));
    const rows: [() => unknown, RegExp][] = [
      [() => Deno.readFileSync(join(folder, "none")), /^it does not exist$/],
      [() => Deno.readFileSync(folder), /^it is a folder, not a file$/],
      [() => Deno.readFileSync(join(file, "below")), /^a part of its path is a file/],
      [() => Deno.readFileSync(loop), /^its path has too many symbolic links$/],
      [() => Deno.writeTextFileSync(long, ""), /^its path is too long$/],
      [() => Deno.writeTextFileSync("/proc/sys/kernel/ostype", "x"), /permission/],
    ];
    for (const [act, wanted] of rows) assert.match(describeFileFault(faultOf(act)), wanted);
  }));

Deno.test("findWriteFault() finds nothing if the file can be written, and leaves nothing behind", () =>
  inTestFolder(async (folder) => {
    assert.equal(await findWriteFault(join(folder, "a", "b", "file")), undefined);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  }));

Deno.test("findWriteFault() reports the obstacle", () =>
  inTestFolder(async (folder) => {
    const file = join(folder, "file");
    await Deno.writeTextFile(file, "");
    assert.deepEqual(await findWriteFault(join(file, "below")), {
      path: join(file, "below"),
      reason: "a part of its path is a file, not a folder",
    });
    assert.deepEqual(await findWriteFault(folder), {
      path: folder,
      reason: "it is a folder, not a file",
    });
    assert.equal((await findWriteFault("/proc/none/file"))?.path, "/proc");
  }));

Deno.test({
  name: "withPath() reports the file on a full disk",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    using file = await Deno.open("/dev/full", { write: true });
    const fault = await file.write(new Uint8Array(1)).catch((error) => error);
    const named = withPath(fault, "/data/svc.toml") as Error;
    assert.match(named.message, /: write '\/data\/svc\.toml'$/);
    assert.equal(describeFileFault(named), "the disk is full");
  },
});
