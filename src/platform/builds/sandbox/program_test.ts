import assert from "node:assert/strict";
import { buildProgram, programVariables, SHOWN_DENO_DIR } from "./program.ts";

const ENV = { DENO_DIR: "/srv/svc/deno", HTTPS_PROXY: "http://proxy:1", SVC_TOKEN: "secret" };

Deno.test("programVariables() hides where the platform keeps compiled source", () => {
  const program = buildProgram(ENV);
  const inside = programVariables(program, { ownRoot: true });
  assert.deepEqual(inside, {
    HTTPS_PROXY: "http://proxy:1",
    DENO_NO_UPDATE_CHECK: "1",
    DENO_DIR: SHOWN_DENO_DIR,
  });
});

Deno.test("programVariables() keeps the real path if a build has no root folder", () => {
  const program = buildProgram(ENV);
  assert.equal(programVariables(program, { ownRoot: false }).DENO_DIR, "/srv/svc/deno");
  assert.deepEqual(programVariables({ command: [], needs: [], env: {} }, { ownRoot: true }), {});
});
