import assert from "node:assert/strict";
import { startsPrograms } from "./starts_programs.ts";

Deno.test("startsPrograms() recognizes Node modules and packages that start programs", () => {
  for (
    const [code, packages, expected] of [
      ['import { spawn } from "node:child_process";', [], true],
      ['const cluster = require("cluster");', [], true],
      ['import { execa } from "execa";', ["express", "execa"], true],
      ['import express from "express"; // child_process', ["express"], false],
    ] as const
  ) assert.equal(startsPrograms(code, packages), expected, code);
});
