import assert from "node:assert/strict";
import { SeenVersion } from "./seen_version.ts";
import { StaleServerError } from "./server_fault.ts";

function seenAt(version: bigint) {
  const clock = { now: 0 };
  const seen = new SeenVersion(() => clock.now);
  seen.read(version, 0n);
  return { clock, seen };
}

Deno.test("SeenVersion refuses outdated reads and accepts current ones", () => {
  const { seen } = seenAt(7n);
  assert.throws(() => seen.read(6n, seen.version), StaleServerError);
  seen.committed(9n, seen.version);
  assert.throws(() => seen.read(8n, seen.version), StaleServerError);
  seen.read(9n, seen.version);
  assert.equal(seen.version, 9n);
});

Deno.test("SeenVersion accepts responses to concurrent reads in any order", () => {
  const { seen } = seenAt(7n);
  const known = seen.version;
  seen.read(9n, known);
  seen.read(8n, known);
  assert.equal(seen.version, 9n);
});

Deno.test("SeenVersion accepts an older version after half a minute, or after a commit", () => {
  const { clock, seen } = seenAt(7n);
  const behind = () => seen.read(5n, seen.version);
  assert.throws(behind, StaleServerError);
  clock.now = 29_999;
  assert.throws(behind, StaleServerError);
  seen.read(7n, seen.version);
  clock.now = 30_000;
  assert.throws(behind, StaleServerError, "another server was healthy in the meantime");
  clock.now = 60_000;
  behind();
  assert.equal(seen.version, 5n);

  seen.committed(3n, seen.version);
  assert.equal(seen.version, 3n);
});
