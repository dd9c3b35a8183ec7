/**
 * All answers, as JSON Schema 2020-12.
 *
 * @module
 */
import * as z from "zod";
import type { Answers } from "./answers.ts";
import { AUTOMATION_ANSWERS, AUTOMATION_LINES } from "./automation.ts";
import { DATA_ANSWERS } from "./data.ts";
import { DEPLOYMENT_ANSWERS, DEPLOYMENT_LINES } from "./deployments.ts";
import { failure } from "./failure.ts";
import { membersOf, membersOfLine } from "./members.ts";
import { PLATFORM_ANSWERS } from "./platform.ts";
import { PROJECT_ANSWERS } from "./projects.ts";

const ANSWERS: Answers = {
  ...PLATFORM_ANSWERS,
  ...PROJECT_ANSWERS,
  ...DEPLOYMENT_ANSWERS,
  ...AUTOMATION_ANSWERS,
  ...DATA_ANSWERS,
};

const LINES: Answers = { ...DEPLOYMENT_LINES, ...AUTOMATION_LINES };

export type JsonSchema = Readonly<Record<string, unknown>>;

/** JSON Schemas of a command's JSON output; one of the two, or both. */
export interface AnswerSchemas {
  /** The object on stdout. */
  readonly object?: JsonSchema;
  /** Each line of a stream. */
  readonly lines?: JsonSchema;
}

const toJsonSchema = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, {
    io: "output",
    override({ jsonSchema }) {
      // OpenAPI's name of it, which the contract uses.
      if (!("example" in jsonSchema)) return;
      jsonSchema.examples = [jsonSchema.example];
      delete jsonSchema.example;
    },
  });

/** Words of the commands that print JSON, in the order of the tables. */
export const ANSWERING: readonly string[] = Object.keys({ ...ANSWERS, ...LINES });

/** Members of what the command of these words prints; `undefined` where it prints no JSON. */
export function answerMembers(words: string): string | undefined {
  const [object, lines] = [ANSWERS[words], LINES[words]];
  const parts = [
    ...object === undefined ? [] : [membersOf(object)],
    ...lines === undefined ? [] : [`a line each: ${membersOfLine(lines)}`],
  ];
  return parts.length === 0 ? undefined : parts.join("; ");
}

/** Returns the schemas of a command; `undefined` if it prints no JSON. */
export function answerSchemas(words: string): AnswerSchemas | undefined {
  const [object, lines] = [ANSWERS[words], LINES[words]];
  if (object === undefined && lines === undefined) return undefined;
  return {
    ...object === undefined ? {} : { object: toJsonSchema(object) },
    ...lines === undefined ? {} : { lines: toJsonSchema(lines) },
  };
}

/** The output of each command when it fails. */
export const failureSchema = (): JsonSchema => toJsonSchema(failure);
