/**
 * The shape of an authored rule set: every field, type, bound and listed value
 * of the spec, and no other property at any level. The messages say what is
 * wanted; what was found instead is added where the problem is reported.
 *
 * @module
 */
import { z } from "zod";
import {
  type Condition,
  DEVICES,
  type LeafCondition,
  METHODS,
  type PipelineStep,
  RATE_LIMIT_KEYS,
  type Rule,
  type RuleSet,
  SCHEMA_VERSION,
  VARY_DIMENSIONS,
} from "./types.ts";

/** What the name of a function may look like (spec: "Pipeline step"). */
export const FUNCTION_NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

const MAX_SAFE = Number.MAX_SAFE_INTEGER;

const integer = (min: number, max: number) => {
  const wanted = min === -MAX_SAFE ? "Use an integer" : `Use an integer from ${min} to ${max}`;
  return z.int(wanted).min(min, wanted).max(max, wanted);
};

const text = () => z.string("Use a string").min(1, "Use a string that is not empty");

const name = () =>
  z.string("Use a string").min(1, "Use 1 to 64 characters").max(64, "Use 1 to 64 characters");

const flag = () => z.boolean("Use true or false");

const choice = <const T extends readonly string[]>(values: T) =>
  z.enum(values, `Use one of ${values.join(", ")}`);

const list = <T extends z.ZodType>(item: T) => z.array(item, "Use a list");

const textMap = () =>
  z.record(
    z.string().min(1, "Use a name that is not empty"),
    z.string("Use a string"),
    "Use a table of strings",
  );

const pathShape = {
  type: choice(["exact", "prefix", "glob"]).describe(
    "exact: the whole path; prefix: a plain string prefix; glob: a pattern with captures",
  ),
  value: text().describe("The path, prefix or glob pattern, beginning with /"),
};

const leafShape = {
  path: z.strictObject(pathShape, "Use a table with type and value").optional(),
  methods: list(choice(METHODS)).optional().describe("Any of these methods"),
  method: list(choice(METHODS)).optional().describe("Alias of methods"),
  host: text().optional().describe("Host name without scheme, port, path or userinfo"),
  headers: textMap().optional().describe("Request headers that must have these values"),
  query: textMap().optional().describe("Query parameters that must have these values"),
  cookies: textMap().optional().describe("Cookies that must have these values"),
  geo: list(z.string("Use a string").length(2, "Use a country code of exactly 2 characters"))
    .optional().describe("Any of these countries (ISO 3166-1 alpha-2)"),
  asn: list(integer(1, 4_294_967_295)).optional().describe(
    "Any of these autonomous systems",
  ),
  device: choice(DEVICES).optional(),
  sourceIpCidrs: list(text()).optional().describe("Any of these networks, IPv4 or IPv6"),
};

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
