import assert from "node:assert/strict";
import { childVariables } from "./child_variables.ts";
import { runProgram } from "./spawn_program.ts";

Deno.test("childVariables() withholds svc's own credentials, and keeps a project's variables of any name", () => {
  const own = {
    SVC_TOKEN: "svc_1",
    SVC_BOOTSTRAP_TOKEN: "svc_2",
    SVC_EDGE_KEY: "key",
    SVC_POSTGRES_URL: "postgres://app:secret@db/app",
    SVC_ID_TOKEN: "jwt",
    SVC_NEW_SECRET: "of a later version",
  };
  const parent = { ...own, HOME: "/home/ada", SVC_API_URL: "http://localhost:8787" };
  assert.deepEqual(childVariables(parent, { SVC_LEVEL: "1", PATH: "/evil" }, []), {
    env: { HOME: "/home/ada", SVC_API_URL: "http://localhost:8787", SVC_LEVEL: "1" },
    heldBack: ["PATH"],
  });
});

Deno.test("runProgram() passes on none of svc's credentials", async () => {
  Deno.env.set("SVC_TEST_CREDENTIAL", "planted");
  try {
    const { stdout } = await runProgram("env", { env: { ADDED: "1" } });
    const text = new TextDecoder().decode(stdout);
    assert.match(text, /^ADDED=1$/m);
    assert.match(text, /^PATH=/m);
    assert.doesNotMatch(text, /planted/);
  } finally {
    Deno.env.delete("SVC_TEST_CREDENTIAL");
  }
});
