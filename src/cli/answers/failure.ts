/**
 * The JSON output of a failed command.
 *
 * @module
 */
import * as z from "zod";
import { apiError } from "../../contract/common.ts";
import { diagnostic, text } from "./parts.ts";

/** The object that every command prints where it fails, with members of its own beside. */
export const failure = z.looseObject({
  error: text.describe("What went wrong"),
  code: z.string().regex(/^[a-z][a-z0-9_]*$/).describe("Machine-readable code of the error"),
  hint: text.optional().describe("How to fix it"),
  next: z.array(text).optional().describe("Commands that solve the problem"),
  docs: z.string().regex(/^svc explain [a-z0-9_]+$/).describe("Command that explains the code"),
  problems: apiError.shape.problems,
  file: text.optional(),
  diagnostics: z.array(diagnostic).optional(),
  requestId: text.optional(),
  retryAfterMs: z.number().optional(),
});
