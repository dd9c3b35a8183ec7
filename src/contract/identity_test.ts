import assert from "node:assert/strict";
import { displayName } from "./identity.ts";

const NAMES: readonly (readonly [what: string, name: string, taken: boolean])[] = [
  ["letters of any script", "Bäckerei 東京 🥐", true],
  ["a terminal's escape", "\x1b[2Kinnocent", false],
  ["a C1 control character", "a\x9b2J", false],
  ["a line break", "one\ntwo", false],
  ["a change of text direction", "evil\u202egnp.exe", false],
  ["only spaces", "   ", false],
];

for (const [what, name, taken] of NAMES) {
  Deno.test(`displayName ${taken ? "accepts" : "refuses"} ${what}`, () => {
    assert.equal(displayName.safeParse(name).success, taken);
  });
}
