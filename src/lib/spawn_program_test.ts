import assert from "node:assert/strict";
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
