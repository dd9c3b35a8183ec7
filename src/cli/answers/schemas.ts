/** @module All results, as JSON Schema 2020-12. */
import * as z from "zod";
import type { Answers } from "./answers.ts";
import { AUTOMATION_ANSWERS, AUTOMATION_LINES } from "./automation.ts";
import { DATA_ANSWERS } from "./data.ts";
import { DEPLOYMENT_ANSWERS, DEPLOYMENT_LINES } from "./deployments.ts";
import { PLATFORM_ANSWERS } from "./platform.ts";
import { PROJECT_ANSWERS } from "./projects.ts";
import { apiError } from "../../contract/common.ts";
import { diagnostic, text } from "./parts.ts";

const optionsOf = (schema: z.ZodType): readonly z.ZodType[] =>
  schema instanceof z.ZodUnion ? schema.options as readonly z.ZodType[] : [schema];

/**
 * Returns the names of an object's members. For a union of objects, returns the members that all of
 * them have.
 */
function namesOf(schema: z.ZodType): readonly string[] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape)
      .map(([name, member]) => member instanceof z.ZodOptional ? `${name}?` : name);
  }
  if (!(schema instanceof z.ZodUnion)) return ["…"];
  const [first = [], ...others] = optionsOf(schema).map(namesOf);
  return [...first.filter((name) => others.every((names) => names.includes(name))), "…"];
}

/**
 * Describes a variant of a result. Unless it is the usual variant, its description states when it
 * occurs.
 */
function describeKind(schema: z.ZodType): string {
  if (schema instanceof z.ZodNever) return schema.description ?? "nothing";
  const members = `{ ${namesOf(schema).join(", ")} }`;
  const when = schema.description ?? "";
  return /^with(out)? /.test(when) ? `${when}: ${members}` : members;
}

/** Lists the members of a result, such as `{ url, token? }`, followed by its variants. */
const membersOf = (schema: z.ZodType): string => optionsOf(schema).map(describeKind).join("; ");

/** Lists the members that all lines of a stream have. */
const membersOfLine = (schema: z.ZodType): string => `{ ${namesOf(schema).join(", ")} }`;

/** The object that a failing command prints. Some commands add fields. */
const failure = z.looseObject({
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

const ANSWERS: Answers = {
  ...PLATFORM_ANSWERS,
  ...PROJECT_ANSWERS,
  ...DEPLOYMENT_ANSWERS,
  ...AUTOMATION_ANSWERS,
  ...DATA_ANSWERS,
};

const LINES: Answers = { ...DEPLOYMENT_LINES, ...AUTOMATION_LINES };

export type JsonSchema = Readonly<Record<string, unknown>>;

/** JSON Schemas of a command's JSON output: `object`, `lines`, or both. */
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
      // The contract uses OpenAPI's keyword for examples.
      if (!("example" in jsonSchema)) return;
      jsonSchema.examples = [jsonSchema.example];
      delete jsonSchema.example;
    },
  });

/** Words of the commands that print JSON, in table order. */
export const ANSWERING: readonly string[] = Object.keys({ ...ANSWERS, ...LINES });

/** Returns the fields of a command's output, or `undefined` if the command prints no JSON. */
export function answerMembers(words: string): string | undefined {
  const [object, lines] = [ANSWERS[words], LINES[words]];
  const parts = [
    ...object === undefined ? [] : [membersOf(object)],
    ...lines === undefined ? [] : [`one object per line: ${membersOfLine(lines)}`],
  ];
  return parts.length === 0 ? undefined : parts.join("; ");
}

/** Returns the schemas of a command, or `undefined` if the command prints no JSON. */
export function answerSchemas(words: string): AnswerSchemas | undefined {
  const [object, lines] = [ANSWERS[words], LINES[words]];
  if (object === undefined && lines === undefined) return undefined;
  return {
    ...object === undefined ? {} : { object: toJsonSchema(object) },
    ...lines === undefined ? {} : { lines: toJsonSchema(lines) },
  };
}

/** Returns the schema for the output of every command that fails. */
export const failureSchema = (): JsonSchema => toJsonSchema(failure);
