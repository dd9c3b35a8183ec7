/**
 * Patches constants in the compiled program, so that released code trusts a test's key and reports
 * a different version. The program has no options for that.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { TRUSTED_KEYS } from "../../src/release/mod.ts";
import config from "../../deno.json" with { type: "json" };

interface Patch {
  /** The public key to trust, instead of svc's own. */
  readonly key: string;
  /** A version with the same number of characters as the program's own. */
  readonly version: string;
}

/** Replaces all occurrences of a string with another string of the same length. */
function replaceText(bytes: Buffer, from: string, to: string): void {
  assert.equal(from.length, to.length);
  let at = bytes.indexOf(from);
  assert.notEqual(at, -1, `the program does not contain ${from}`);
  for (; at !== -1; at = bytes.indexOf(from, at + 1)) bytes.write(to, at);
}

/** Returns the modified bytes of the program at `path`. */
export async function patchProgram(path: string, { key, version }: Patch): Promise<Uint8Array> {
  const bytes = Buffer.from(await Deno.readFile(path));
  for (const own of TRUSTED_KEYS) replaceText(bytes, own, key);
  replaceText(bytes, `{version:"${config.version}"`, `{version:"${version}"`);
  return bytes;
}
