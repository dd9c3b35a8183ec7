import assert from "node:assert/strict";
import { readManagerField } from "./package_manager_field.ts";

const HEX = "0123456789abcdef".repeat(8);

const NAMED: readonly (readonly [string, string, string | undefined])[] = [
  ["pnpm@9.1.0", "pnpm", "9.1.0"],
  [`pnpm@9.1.0+sha512.${HEX}`, "pnpm", "9.1.0"],
  ["yarn@4.0.0-rc.1", "yarn", "4.0.0-rc.1"],
  ["bun@1", "bun", "1"],
  ["npm@latest", "npm", "latest"],
  ["pnpm", "pnpm", undefined],
];

for (const [packageManager, name, version] of NAMED) {
  Deno.test(`readManagerField() reads ${packageManager.slice(0, 24)}`, () => {
    const result = readManagerField({ packageManager });
    assert.ok(result.type === "named");
    assert.deepEqual([result.manager.name, result.manager.version], [name, version]);
  });
}

Deno.test("readManagerField() keeps the hash in lower case", () => {
  const packageManager = `pnpm@9.1.0+sha512.${HEX.toUpperCase()}`;
  const result = readManagerField({ packageManager });
  assert.ok(result.type === "named");
  assert.deepEqual(result.manager.hash, { algorithm: "sha512", hex: HEX });
});

const INVALID: readonly (readonly [string, unknown])[] = [
  ["an unknown package manager", "cargo@1.0.0"],
  ["an address", "yarn@https://example.com/yarn.js"],
  ["a hash of another length", "pnpm@9.1.0+sha512.abc"],
  ["an unknown kind of hash", `pnpm@9.1.0+md5.${HEX}`],
  ["a version with a command", "pnpm@9.1.0; reboot"],
  ["a number", 9],
  ["not a string", ""],
];

for (const [what, packageManager] of INVALID) {
  Deno.test(`readManagerField() refuses ${what}`, () => {
    const result = readManagerField({ packageManager });
    assert.ok(result.type === "invalid");
    assert.match(result.message, /^Write "packageManager" in package\.json as a name/);
  });
}

Deno.test("readManagerField() uses the first known entry of devEngines", () => {
  const devManager = [{ name: "vlt" }, { name: "pnpm", version: ">=9 <11" }];
  const result = readManagerField({ devManager });
  assert.ok(result.type === "named");
  assert.deepEqual([result.manager.name, result.manager.version], ["pnpm", ">=9 <11"]);
  assert.equal(readManagerField({}).type, "none");
  assert.equal(readManagerField({ devManager: { name: "vlt" } }).type, "invalid");
});
