import assert from "node:assert/strict";
import { wantsColor } from "./color.ts";

interface Row {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly isTerminal: boolean;
  readonly wanted: boolean;
}

const rows: readonly Row[] = [
  { name: "a terminal has colours", env: {}, isTerminal: true, wanted: true },
  { name: "a pipe has none", env: {}, isTerminal: false, wanted: false },
  { name: "NO_COLOR forbids", env: { NO_COLOR: "1" }, isTerminal: true, wanted: false },
  { name: "an empty NO_COLOR is not set", env: { NO_COLOR: "" }, isTerminal: true, wanted: true },
  {
    name: "NO_COLOR goes before FORCE_COLOR",
    env: { NO_COLOR: "1", FORCE_COLOR: "1" },
    isTerminal: true,
    wanted: false,
  },
  { name: "FORCE_COLOR demands", env: { FORCE_COLOR: "1" }, isTerminal: false, wanted: true },
  { name: "FORCE_COLOR=0 forbids", env: { FORCE_COLOR: "0" }, isTerminal: true, wanted: false },
  { name: "CLICOLOR_FORCE demands", env: { CLICOLOR_FORCE: "1" }, isTerminal: false, wanted: true },
  { name: "CLICOLOR=0 does without", env: { CLICOLOR: "0" }, isTerminal: true, wanted: false },
  { name: "a dumb terminal has none", env: { TERM: "dumb" }, isTerminal: true, wanted: false },
];

for (const { name, env, isTerminal, wanted } of rows) {
  Deno.test(`wantsColor(): ${name}`, () => {
    assert.equal(wantsColor(env, isTerminal), wanted);
  });
}
