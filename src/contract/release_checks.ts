/**
 * The API of a deployment's checks, which must pass before the deployment goes to production.
 * @module
 */
import * as z from "zod";
import { MAX_CHECK_COMMANDS, MAX_CHECK_TEXT } from "../lib/release_checks.ts";

const CHECK_STATES = ["RUNNING", "PASSED", "FAILED"] as const;

/** Maximum length of the reason why a check did not pass, in characters. */
const MAX_CHECK_PROBLEM = 2000;

/** The result of a command, as reported by the program that ran it. */
export const commandResult = z.object({
  name: z.string().min(1).max(MAX_CHECK_TEXT).meta({
    description: "The command",
    example: "npm run smoke",
  }),
  passed: z.boolean().describe("True if it exited with code 0 in time"),
  durationMs: z.int().min(0).meta({ description: "How long it took", example: 1800 }),
  problem: z.string().max(MAX_CHECK_PROBLEM).nullable().meta({
    description: "Why it did not pass; null if it did",
    example: "It exited with code 1",
  }),
});
export type CommandResult = z.infer<typeof commandResult>;

export const commandResults = z.array(commandResult.strict()).max(MAX_CHECK_COMMANDS);

const checkResult = commandResult.extend({
  kind: z.enum(["request", "command"]).describe("A request or a command"),
  name: z.string().meta({
    description: "Name of the request, or the command",
    example: "Start page",
  }),
  passed: z.boolean().describe("Whether it passed"),
  attempts: z.int().min(0).meta({ description: "How many times it was tried", example: 1 }),
}).meta({ id: "CheckResult" });
export type CheckResult = z.infer<typeof checkResult>;

export const releaseChecks = z.object({
  state: z.enum(CHECK_STATES).describe("Whether all of them passed, or are still running"),
  results: z.array(checkResult).describe("Result of each check, in the order of svc.toml"),
}).meta({ id: "ReleaseChecks" });
export type CheckReport = z.infer<typeof releaseChecks>;
