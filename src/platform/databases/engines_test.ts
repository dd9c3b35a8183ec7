import assert from "node:assert/strict";
import { Engines, reasonOf } from "./engines.ts";

Deno.test("Engines reports missing programs if an engine does not open, and tries again", async () => {
  let tries = 0;
  const engines = new Engines({
    usual: "server",
    open: {
      server: () => {
        tries++;
        return Promise.reject(new TypeError("There is no PostgreSQL on this machine: install it"));
      },
    },
  });
  for (const round of [1, 2]) {
    const error = await engines.open("server").catch((error) => error);
    assert.equal(
      reasonOf(error),
      "PostgreSQL cannot be started: There is no PostgreSQL on this machine: install it",
    );
    assert.deepEqual([error.sqlState, tries], ["57P03", round]);
  }
});

Deno.test("reasonOf() reports problems with files, and hides the platform's own errors", async () => {
  const fault = await Deno.readFile("/no/such/file").catch((error) => error);
  assert.equal(
    reasonOf(fault),
    "The database's files cannot be written: it does not exist",
  );
  assert.equal(
    reasonOf(new TypeError("x is undefined")),
    "The platform failed. See its log for the reason",
  );
});
