/** Rule sets that are published without a deploy, and rule counters. @module */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { projectParams } from "./projects.ts";

/** Maximum size of a rule set, in bytes of JSON: enough for a rules file of 1 MiB. */
const MAX_RULE_SET_BYTES = 4 * 1024 * 1024;

/** A runtime rule set. `src/rules` defines the format of its rules. */
const runtimeRuleSet = z.object({
  schemaVersion: z.string().meta({
    description: "Version of the schema",
    example: "EDGE_RULE_SET_V1",
  }),
  source: z.object({
    origin: z.enum(["build", "ui"]).meta({
      description: "How the rule set was published",
      example: "ui",
    }),
    revisionId: z.string().optional().describe("ID of the revision"),
  })
    .optional().describe("Origin of the rule set"),
  rules: z.array(z.record(z.string(), z.unknown())).describe("Rules in order"),
}).meta({ id: "RuntimeRuleSet" });

export const activeRules = z.object({
  origin: z.enum(["build", "ui"]).nullable().describe(
    "`ui` for a published set, `build` for the rules of the live deployment, null for none",
  ),
  revisionId: z.string().nullable().describe(
    "ID of the published revision; null if the rules come from a deployment",
  ),
  deploymentId: uuid.nullable().describe(
    "Deployment that the rules come from; null if they were published",
  ),
  ruleSet: runtimeRuleSet.nullable().describe("The rule set; null if there is none"),
  publishedAt: timestamp.nullable().describe("When the rules were published; null if never"),
}).meta({ id: "ActiveRules" });
export type ActiveRules = z.infer<typeof activeRules>;

export const rulesRevision = z.object({
  revisionId: z.string().describe("ID of the revision"),
  ruleCount: z.int().meta({ description: "Number of rules", example: 12 }),
  publishedAt: timestamp.describe("When it was published"),
  publishedBy: z.string().meta({
    description: "Name of the person who published it",
    example: "Ada Lovelace",
  }),
  active: z.boolean().describe("True if production uses it"),
}).meta({ id: "RulesRevision" });
export type RulesRevision = z.infer<typeof rulesRevision>;

const ruleCounter = z.object({
  ruleId: z.string().meta({ description: "ID of the rule", example: "no-admin" }),
  matches: z.int().meta({ description: "Number of matching requests", example: 17 }),
});

export const getRules = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/rules",
  summary: "Show production's active rule set. Use its ETag for If-Match",
  traits: ["etag"],
  tag: "Rules",
  params: projectParams,
  response: activeRules,
});

export const putRules = endpoint({
  method: "PUT",
  path: "/v1/projects/{project}/rules",
  summary: "Publish a rule set to production immediately. Requires If-Match",
  traits: ["if-match", "etag"],
  tag: "Rules",
  params: projectParams,
  body: z.unknown().meta({
    example: {
      schemaVersion: "EDGE_RULE_SET_V1",
      rules: [{
        id: "no-admin",
        condition: { path: { type: "prefix", value: "/admin/" } },
        action: { type: "deny" },
      }],
    },
  }),
  maxBodyBytes: MAX_RULE_SET_BYTES,
  response: activeRules,
});

export const deleteRules = endpoint({
  method: "DELETE",
  path: "/v1/projects/{project}/rules",
  summary:
    "Remove the published rule set, so the deployment's rules apply again. Requires If-Match",
  traits: ["if-match", "etag"],
  tag: "Rules",
  params: projectParams,
  response: activeRules,
});

export const listRuleRevisions = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/rules/revisions",
  summary: "List published rule sets, newest first",
  tag: "Rules",
  params: projectParams,
  query: pageQuery,
  response: page(rulesRevision),
});

const revisionParams = projectParams.extend({
  revision: z.string().min(1).max(64).describe("ID of the revision"),
});

export const getRuleRevision = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/rules/revisions/{revision}",
  summary: "Show a published rule set",
  tag: "Rules",
  params: revisionParams,
  response: rulesRevision.extend({ ruleSet: runtimeRuleSet.describe("The rule set") }),
});

export const restoreRules = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/rules/revisions/{revision}/restore",
  summary: "Publish an earlier rule set again. Requires If-Match",
  traits: ["if-match", "etag"],
  tag: "Rules",
  params: revisionParams,
  response: activeRules,
});

export const listRuleCounters = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/rules/counters",
  summary: "Show how often each active rule has matched since the platform started",
  tag: "Rules",
  params: projectParams,
  response: z.object({ items: z.array(ruleCounter).describe("One entry per rule") }),
});
