/**
 * The shape of an authored rule set: every field, type, bound and listed value
 * of the spec, and no other property at any level. The messages say what is
 * wanted; what was found instead is added where the problem is reported.
 *
 * @module
 */
import { z } from "zod";
import {
  CONDITION_NAMES,
  type ConditionName,
  CONDITIONS,
  type RawConditions,
} from "./conditions/conditions.ts";
import { methodListSchema, METHODS_ALIAS } from "./conditions/methods.ts";
import { pathShape } from "./conditions/path.ts";
import { choice, flag, integer, list, MAX_SAFE, text, textMap } from "./schema_parts.ts";
import {
  type Condition,
  type LeafCondition,
  type PipelineStep,
  type Rule,
  type RuleSet,
  SCHEMA_VERSION,
} from "./types.ts";
import { RATE_LIMIT_KEYS, VARY_DIMENSIONS } from "./vocabulary.ts";

/** What the name of a function may look like (spec: "Pipeline step"). */
export const FUNCTION_NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

const name = () =>
  z.string("Use a string").min(1, "Use 1 to 64 characters").max(64, "Use 1 to 64 characters");

/** The schemas of all conditions by field, in the order of the spec. */
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
  any: list(z.strictObject(leafShape, "Use a table")).min(1, "Give at least one item").optional()
    .describe("At least one of these conditions must hold"),
  not: z.strictObject(leafShape, "Use a table").optional().describe("This must not hold"),
};

const functionStepShape = {
  use: name().regex(
    FUNCTION_NAME,
    "Use lower-case letters, digits and inner hyphens",
  ).describe("Name of the function"),
  mode: choice(["request", "response", "observe"]),
  as: name().optional(),
  failure: choice(["closed", "open"]).optional().describe(
    "What happens when the step fails; an explicit closed request step is a gate",
  ),
  cachePosition: choice(["before", "after"]).optional(),
};

const handleStepShape = {
  handle: name().describe("origin, or the name of the function that answers"),
};

const stepSchema = z.union([
  z.strictObject(functionStepShape, "Use a table with use and mode, or with handle"),
  z.strictObject(handleStepShape, "Use a table with use and mode, or with handle"),
], "Use a table with use and mode, or with handle");

const enforceMode = () => choice(["shadow", "enforce"]).optional();

const actionShapes = {
  allow: { type: z.literal("allow") },
  log: { type: z.literal("log") },
  deny: {
    type: z.literal("deny"),
    statusCode: integer(400, 599).optional(),
    mode: enforceMode(),
  },
  redirect: {
    type: z.literal("redirect"),
    target: text().describe("A path beginning with / or an absolute http(s) URL"),
    statusCode: integer(-MAX_SAFE, MAX_SAFE).optional().describe("302 where missing"),
    ifNoFile: flag().optional().describe("Only where no static file answers the path"),
  },
  rewrite: {
    type: z.literal("rewrite"),
    target: text().describe("A path beginning with /; an absolute https URL if external"),
    external: flag().optional(),
    ifNoFile: flag().optional().describe("Only where no static file answers the path"),
  },
  set_headers: { type: z.literal("set_headers"), headers: textMap() },
  remove_headers: { type: z.literal("remove_headers"), headers: list(text()) },
  cache: {
    type: z.literal("cache"),
    ttlSeconds: integer(1, MAX_SAFE),
    swrSeconds: integer(0, MAX_SAFE).optional(),
    vary: list(choice(VARY_DIMENSIONS)).optional(),
  },
  bypass_cache: { type: z.literal("bypass_cache") },
  pipeline: {
    type: z.literal("pipeline"),
    steps: list(stepSchema).min(1, "Give at least one step"),
    override: flag().optional(),
    inheritGate: flag().optional(),
  },
  rate_limit: {
    type: z.literal("rate_limit"),
    limit: integer(1, 100_000),
    windowSeconds: integer(10, 600),
    key: choice(RATE_LIMIT_KEYS).optional(),
    mode: enforceMode(),
  },
};

/** Every action type, in the order of the spec. */
export const ACTION_TYPES = Object.keys(actionShapes) as readonly (keyof typeof actionShapes)[];

const actionSchema = z.discriminatedUnion("type", [
  z.strictObject(actionShapes.allow),
  z.strictObject(actionShapes.log),
  z.strictObject(actionShapes.deny),
  z.strictObject(actionShapes.redirect),
  z.strictObject(actionShapes.rewrite),
  z.strictObject(actionShapes.set_headers),
  z.strictObject(actionShapes.remove_headers),
  z.strictObject(actionShapes.cache),
  z.strictObject(actionShapes.bypass_cache),
  z.strictObject(actionShapes.pipeline),
  z.strictObject(actionShapes.rate_limit),
], "Use a table with a type");

const ruleShape = {
  id: text().describe("Unique within the set"),
  name: text().optional(),
  enabled: flag().optional().describe("true where missing"),
  condition: z.strictObject(conditionShape, "Use a table").optional().describe(
    "All fields must hold; without a condition the rule matches every request",
  ),
  action: actionSchema,
};

const sourceShape = {
  origin: choice(["build", "ui"]),
  revisionId: text().optional(),
};

/** One rule, whatever set it stands in. */
export const ruleSchema = z.strictObject(ruleShape, "Use a table") satisfies z.ZodType<Rule>;

const ruleSetShape = {
  schemaVersion: z.literal(SCHEMA_VERSION, `Use "${SCHEMA_VERSION}"`),
  source: z.strictObject(sourceShape, "Use a table").optional(),
  rules: list(ruleSchema),
};

/** A whole authored rule set (spec: "Rule set (top level)"). */
export const ruleSetSchema = z.strictObject(ruleSetShape, "Use a table") satisfies z.ZodType<
  RuleSet
>;

/** Everything of a set but its rules, which are read one by one. */
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
  functionStep: Object.keys(functionStepShape),
  handleStep: Object.keys(handleStepShape),
  action: (type: unknown): readonly string[] =>
    typeof type === "string" && Object.hasOwn(actionShapes, type)
      ? Object.keys(actionShapes[type as keyof typeof actionShapes])
      : [],
};

/** Reads one step: `true` for the terminal handle step. */
export function isHandleStep(step: PipelineStep): step is { readonly handle: string } {
  return "handle" in step;
}

/** The JSON Schema of an authored rule set (draft 7), for editors. */
export function rulesJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(ruleSetSchema, { target: "draft-7" });
  return {
    $schema,
    title: "svc edge rule set (svc.rules.toml)",
    description: "Reference: docs/rules.md",
    ...schema,
  };
}
