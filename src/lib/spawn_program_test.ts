import assert from "node:assert/strict";
import { join } from "node:path";
import { inTestFolder } from "./_test_folder.ts";
import { MissingProgramError, runProgram, spawnProgram } from "./spawn_program.ts";

Deno.test("spawnProgram() and runProgram() report which program is missing", async () => {
  for (const program of ["/bin/not-there", "not-there"]) {
    const wanted = {
      program,
      message: `Cannot start ${program}: it is not installed on this machine`,
    };
    assert.throws(() => spawnProgram(program, {}), wanted);
    await assert.rejects(runProgram(program, {}), wanted);
  }
});

Deno.test("spawnProgram() does not report a missing working directory as a missing program", () => {
  assert.throws(
    () => spawnProgram(Deno.execPath(), { cwd: "/not/there" }),
    (error) => error instanceof Deno.errors.NotFound && !(error instanceof MissingProgramError),
  );
});

Deno.test({
  name: "runProgram() waits until a program file is no longer open for writing",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    inTestFolder(async (folder) => {
      const path = join(folder, "program");
      await Deno.copyFile("/bin/true", path);
      const file = await Deno.open(path, { write: true });
      const running = runProgram(path, {});
      setTimeout(() => file.close(), 50);
      assert.equal((await running).code, 0);
    }),
});
