/**
 * @module The schema of an authored rule set: every field with its type, limits and values. No
 * other property is allowed at any level. The messages state what is expected; the report adds the
 * current value.
 */
import * as z from "zod";
import { ACTION_TYPES, ACTIONS } from "../actions/actions.ts";
import { STEP_FIELDS } from "../actions/pipeline.ts";
import {
  CONDITION_NAMES,
  type ConditionName,
  CONDITIONS,
  type RawConditions,
} from "../conditions/conditions.ts";
import { methodListSchema, METHODS_ALIAS } from "../conditions/methods.ts";
import { pathShape } from "../conditions/path.ts";
import { choice, flag, list, text } from "../schema_parts.ts";
import {
  type Action,
  type ActionType,
  type Condition,
  type LeafCondition,
  type Rule,
  type RuleSet,
  SCHEMA_VERSION,
} from "./types.ts";

/** The schemas of all conditions, by field. */
type LeafShape =
  & { readonly [F in ConditionName]: z.ZodOptional<z.ZodType<RawConditions[F]>> }
  & { readonly [METHODS_ALIAS]: z.ZodOptional<typeof methodListSchema> };

const leafShape = Object.fromEntries(CONDITION_NAMES.flatMap((field) => {
  const own = [field, CONDITIONS[field].schema.optional()] as const;
  if (field !== "methods") return [own];
  return [own, [METHODS_ALIAS, methodListSchema.optional().describe("Alias of methods")] as const];
})) as LeafShape;

const conditionShape = {
  ...leafShape,
  any: list(z.strictObject(leafShape, "Use a table")).min(1, "Must have at least one item")
    .optional()
    .describe("At least one of these conditions must match"),
  not: z.strictObject(leafShape, "Use a table").optional().describe(
    "This condition must not match",
  ),
};

/**
 * The casts are necessary because Zod's types expect a tuple of literal shapes. The tests of the
 * JSON Schema check this union.
 */
const actionSchema = z.discriminatedUnion(
  "type",
  ACTION_TYPES.map((type) => ACTIONS[type].schema) as unknown as [z.ZodObject],
  "Use a table with a type",
) as unknown as z.ZodType<Action>;

const ruleShape = {
  id: text().describe("Unique within the set"),
  name: text().optional(),
  enabled: flag().optional().describe("Default: true"),
  condition: z.strictObject(conditionShape, "Use a table").optional().describe(
    "All fields must match; a rule without a condition matches every request",
  ),
  action: actionSchema,
};

const sourceShape = {
  origin: choice(["build", "ui"]),
  revisionId: text().optional(),
};

export const ruleSchema = z.strictObject(ruleShape, "Use a table") satisfies z.ZodType<Rule>;

const ruleSetShape = {
  schemaVersion: z.literal(SCHEMA_VERSION, `Use "${SCHEMA_VERSION}"`),
  source: z.strictObject(sourceShape, "Use a table").optional(),
  rules: list(ruleSchema),
};

/** The schema of a whole authored rule set. */
export const ruleSetSchema = z.strictObject(ruleSetShape, "Use a table") satisfies z.ZodType<
  RuleSet
>;

/** The schema of everything in a set except its rules, which are read one by one. */
export const ruleSetFrameSchema = z.strictObject({
  ...ruleSetShape,
  rules: list(z.unknown()),
}, "Use a table");

/** The fields that each part of a set accepts, by the name of the part. */
export const FIELDS = {
  ruleSet: Object.keys(ruleSetShape),
  source: Object.keys(sourceShape),
  rule: Object.keys(ruleShape),
  condition: Object.keys(conditionShape) as (keyof Condition)[],
  leaf: Object.keys(leafShape) as (keyof LeafCondition)[],
  path: Object.keys(pathShape),
  ...STEP_FIELDS,
  action: (type: unknown): readonly string[] =>
    typeof type === "string" && Object.hasOwn(ACTIONS, type)
      ? Object.keys(ACTIONS[type as ActionType].schema.shape)
      : [],
};

/** Returns the JSON Schema of an authored rule set (draft 7), for editors. */
export function rulesJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(ruleSetSchema, { target: "draft-7" });
  return {
    $schema,
    title: "svc edge rule set (svc.rules.toml)",
    description: "Reference: docs/rules.md",
    ...schema,
  };
}
