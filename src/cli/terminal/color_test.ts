import assert from "node:assert/strict";
import { wantsColor } from "./color.ts";

interface Row {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly isTerminal: boolean;
  readonly wanted: boolean;
}

const rows: readonly Row[] = [
  { name: "a terminal has colors", env: {}, isTerminal: true, wanted: true },
  { name: "a pipe has no colors", env: {}, isTerminal: false, wanted: false },
  { name: "NO_COLOR disables colors", env: { NO_COLOR: "1" }, isTerminal: true, wanted: false },
  {
    name: "an empty NO_COLOR counts as not set",
    env: { NO_COLOR: "" },
    isTerminal: true,
    wanted: true,
  },
  {
    name: "NO_COLOR overrides FORCE_COLOR",
    env: { NO_COLOR: "1", FORCE_COLOR: "1" },
    isTerminal: true,
    wanted: false,
  },
  {
    name: "FORCE_COLOR enables colors",
    env: { FORCE_COLOR: "1" },
    isTerminal: false,
    wanted: true,
  },
  {
    name: "FORCE_COLOR=0 disables colors",
    env: { FORCE_COLOR: "0" },
    isTerminal: true,
    wanted: false,
  },
  {
    name: "CLICOLOR_FORCE enables colors",
    env: { CLICOLOR_FORCE: "1" },
    isTerminal: false,
    wanted: true,
  },
  { name: "CLICOLOR=0 disables colors", env: { CLICOLOR: "0" }, isTerminal: true, wanted: false },
  {
    name: "a dumb terminal has no colors",
    env: { TERM: "dumb" },
    isTerminal: true,
    wanted: false,
  },
];

for (const { name, env, isTerminal, wanted } of rows) {
  Deno.test(`wantsColor(): ${name}`, () => {
    assert.equal(wantsColor(env, isTerminal), wanted);
  });
}
