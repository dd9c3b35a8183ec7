/** @module Checks the CLI's JSON output against the schemas of `svc schema`. */
import type { ValidateFunction } from "ajv/dist/2020.js";
import assert from "node:assert/strict";
import { ajvWithFormats } from "../lib/_test_ajv.ts";
import { answerSchemas, failureSchema, type JsonSchema } from "./answers/schemas.ts";
import { findCommand } from "./command/arguments.ts";
import { leavesOf } from "./command/command_entry.ts";
import { COMMANDS } from "./command_tree.ts";

const ajv = ajvWithFormats({ strict: true, allowUnionTypes: true, allErrors: true });
// For `format: "uuid"` and similar formats, zod also writes a pattern, so Ajv can ignore formats
// that it does not support.
for (const name of ["cidrv4", "cidrv6"]) ajv.addFormat(name, true);

const known = new Map<string, ValidateFunction>();

/** Returns the validator for a schema, which is compiled once. */
function checkOf(name: string, schemaOf: () => JsonSchema | undefined): ValidateFunction {
  const made = known.get(name);
  if (made !== undefined) return made;
  const schema = schemaOf();
  assert.ok(schema !== undefined, `svc schema has no schema for ${name}`);
  const check = ajv.compile(schema);
  known.set(name, check);
  return check;
}

function assertFits(value: unknown, name: string, schemaOf: () => JsonSchema | undefined): void {
  const check = checkOf(name, schemaOf);
  if (check(value)) return;
  assert.fail(
    `${name}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(value).slice(0, 2000)}`,
  );
}

/** Returns the command's words, or `help` or `version`. */
function wordsOf(argv: readonly string[], answer: object): string {
  if ("help" in answer) return "help";
  const { leaf } = findCommand(argv, COMMANDS);
  return leavesOf(COMMANDS).find((each) => each.leaf === leaf)?.words.join(" ") ?? "version";
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

/**
 * Validates everything that is printed to stdout in JSON mode: a failure, an object, or the lines
 * of a stream. Output that is not JSON, such as the output of a command run by `env exec`, is
 * ignored.
 */
export function assertAnswers(argv: readonly string[], stdout: string): void {
  const lines = stdout.trimEnd().split("\n").map(parsed);
  for (const line of lines) {
    if (typeof line !== "object" || line === null) continue;
    if ("error" in line && "code" in line) {
      assertFits(line, "failure", failureSchema);
      continue;
    }
    const words = wordsOf(argv, line);
    const isStream = answerSchemas(words)?.lines !== undefined &&
      (lines.length > 1 || argv.includes("--follow") || answerSchemas(words)?.object === undefined);
    assertFits(
      line,
      isStream ? `a line of svc ${words}` : `svc ${words}`,
      () => answerSchemas(words)?.[isStream ? "lines" : "object"],
    );
  }
}
