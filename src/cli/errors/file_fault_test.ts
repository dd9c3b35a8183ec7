import assert from "node:assert/strict";
import { CliError } from "./cli_error.ts";
import { explainFileFault } from "./file_fault.ts";

const HINT = "Check the owner and permissions of the file and its folder";

Deno.test("explainFileFault() names the file in a system error", async () => {
  const fault = explainFileFault(await Deno.open("/nonexistent/a").catch((error) => error));
  assert.ok(fault instanceof CliError);
  assert.equal(fault.message, "Cannot use /nonexistent/a: it does not exist");
  assert.equal(fault.facts.hint, HINT);
});

Deno.test({
  name: "explainFileFault() suggests freeing space if the disk is full",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    using full = await Deno.open("/dev/full", { write: true });
    const fault = explainFileFault(await full.write(new Uint8Array(1)).catch((error) => error));
    assert.ok(fault instanceof CliError);
    assert.equal(fault.message, "Cannot write the output: the disk is full");
    assert.equal(fault.facts.hint, "Free some space, or write elsewhere");
  },
});

Deno.test("explainFileFault() puts a file name with a line break on one line", async () => {
  const fault = explainFileFault(await Deno.open("/nonexistent/a\nb").catch((error) => error));
  assert.ok(fault instanceof CliError);
  assert.equal(fault.message, "Cannot use /nonexistent/a\\x0ab: it does not exist");
});

Deno.test("explainFileFault() does not change other errors", () => {
  const error = new TypeError("no file");
  assert.equal(explainFileFault(error), error);
});
