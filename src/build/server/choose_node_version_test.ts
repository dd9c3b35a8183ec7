import assert from "node:assert/strict";
import { chooseNodeVersion } from "./choose_node_version.ts";

const ROWS: readonly (readonly [string, string | undefined, string])[] = [
  ["24", undefined, "24"],
  ["v22.11.0", undefined, "22.11.0"],
  [" 22.4\n", undefined, "22.4"],
  [">=18", undefined, "26"],
  [">=18", "v22.3.0", "22"],
  [">=18", "v20.3.0", "26"],
  [">=18", "v25.0.0", "26"],
  ["^22.11.0", "v24.1.0", "22"],
  ["^20.19.0 || >=22.12.0", undefined, "26"],
  ["22.x", "v24.0.0", "22"],
  ["~22.11.0", undefined, "22.11.0"],
  [">=20 <23", undefined, "22"],
  [">=26", undefined, "26"],
  [">=27.1", undefined, "27.1.0"],
  ["*", undefined, "26"],
  ["lts/*", undefined, "26"],
  ["lts/jod", undefined, "22"],
  ["node", undefined, "26"],
];

for (const [text, built, expected] of ROWS) {
  Deno.test(`chooseNodeVersion() converts ${JSON.stringify(text)} on ${built} to ${expected}`, () => {
    const choice = chooseNodeVersion([{ source: ".nvmrc", text }], built);
    assert.ok(choice.ok && choice.version === expected, JSON.stringify(choice));
  });
}

Deno.test("chooseNodeVersion() uses the first requested version, the build's Node if supported, or the newest", () => {
  const requirements = [{ source: "a", text: "22" }, { source: "b", text: "24" }];
  assert.deepEqual(chooseNodeVersion(requirements, "v24.0.0"), { ok: true, version: "22" });
  assert.deepEqual(chooseNodeVersion([], "v22.1.0"), { ok: true, version: "22" });
  assert.deepEqual(chooseNodeVersion([], "v20.1.0"), { ok: true, version: "26" });
  assert.deepEqual(chooseNodeVersion([], undefined), { ok: true, version: "26" });
});

const ODD: Readonly<Record<string, RegExp>> = {
  "23": /^Node 23 is not a long-term support release: \.nvmrc is "23"$/,
  "20": /^Node 20 no longer receives fixes: \.nvmrc is "20"$/,
};

for (const [text, warning] of Object.entries(ODD)) {
  Deno.test(`chooseNodeVersion() warns about ${text}`, () => {
    const choice = chooseNodeVersion([{ source: ".nvmrc", text }], undefined);
    assert.ok(choice.ok && choice.version === text);
    assert.match(choice.warning ?? "", warning);
  });
}

const IMPOSSIBLE: Readonly<Record<string, RegExp>> = {
  "16": /^Servers run on Node 18 or newer: \.nvmrc is "16"$/,
  "<12": /^Set \.nvmrc to a Node version such as "26": it is "<12"$/,
  "ninety": /^Set \.nvmrc to a Node version such as "26": it is "ninety"$/,
  ">=24 <20": /^Set \.nvmrc to a Node version such as "26"/,
  "lts/unknown": /^Set \.nvmrc/,
  "999": /^Servers run on Node 18/,
};

for (const [text, message] of Object.entries(IMPOSSIBLE)) {
  Deno.test(`chooseNodeVersion() refuses ${JSON.stringify(text)}`, () => {
    const choice = chooseNodeVersion([{ source: ".nvmrc", text }], undefined);
    assert.ok(!choice.ok, JSON.stringify(choice));
    assert.match(choice.message, message);
  });
}
