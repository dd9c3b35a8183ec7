/** Test platforms must have the same settings as `svc serve` without flags. */
import assert from "node:assert/strict";
import { optionsOf } from "../../../src/cli/serve/_test_flags.ts";
import { withTestOptions } from "../../helpers/platform.ts";
import { completeSettings } from "../../../src/settings/mod.ts";
import { serveCommand } from "../../helpers/platform_process.ts";

/**
 * Settings in which a test platform may differ from a real one: addresses, processes and build
 * users.
 */
const OWN = new Set(["port", "postgresPort", "builds", "bootstrapToken"]);

/** Options without a flag. They determine how the program is started. */
const SURROUNDINGS = new Set(["env", "log", "version", "dataDir"]);

/** Returns whether an option has no effect because all of its fields are missing. */
const isSilent = (value: unknown): boolean =>
  value === undefined || value === false ||
  (typeof value === "object" && value !== null && Object.values(value).every(isSilent));

const settings = (options: object) =>
  Object.fromEntries(
    Object.entries(options).filter(([name, value]) =>
      !OWN.has(name) && !SURROUNDINGS.has(name) && !isSilent(value)
    ),
  );

Deno.test("a test platform differs from svc serve only in ports, build users and its key", async () => {
  const own = withTestOptions({ dataDir: "/data" });
  assert.deepEqual(settings(completeSettings(own)), settings(await optionsOf()));
  assert.deepEqual(Object.keys(own.builds), ["firstUid"]);
});

Deno.test("a test platform in its own process gets flags with the same values", async () => {
  const { flags, secrets } = serveCommand(withTestOptions({ dataDir: "/data" }));
  const names = flags.filter((flag) => flag.startsWith("--"));
  assert.deepEqual(
    names.toSorted(),
    ["--base-domain", "--build-uid", "--host", "--port", "--postgres-port"],
  );
  assert.deepEqual(settings(await optionsOf(flags)), settings(await optionsOf()));
  assert.deepEqual(Object.keys(secrets), ["SVC_BOOTSTRAP_TOKEN"]);
});
