/**
 * Deploy hooks: secret URLs that start deployments (spec, "Deploy hook").
 *
 * @module
 */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { DEPLOYMENT_STATES, deploymentUrls } from "./deployments.ts";
import { endpoint } from "./endpoint.ts";
import { displayName } from "./identity.ts";
import { BRANCH_MAX, branchName, projectReference } from "./projects.ts";

const tag = "Deploy hooks";

export const HOOK_SCOPES = ["Production", "Preview", "All"] as const;
export type HookScope = (typeof HOOK_SCOPES)[number];

/** Triggers that one hook takes in a minute. */
export const HOOK_TRIGGERS_PER_MINUTE = 30;
/** Most hooks of one project. */
export const MAX_HOOKS = 100;
/** Largest body of a trigger, in bytes. */
const MAX_TRIGGER_BYTES = 64 * 1024;

/** A branch, or a pattern of branches in which `*` stands for any text. */
const hookBranch = z.string().min(1).max(BRANCH_MAX).refine(
  (text) => branchName.safeParse(text.replaceAll("*", "x")).success,
  "Must be a git branch name, or one with * for any text",
);

export const deployHook = z.object({
  id: uuid,
  projectId: uuid,
  project: z.string(),
  name: z.string(),
  branch: z.string(),
  restrictBranch: z.boolean().describe(
    "True where triggers for other branches than `branch` are refused",
  ),
  scope: z.enum(HOOK_SCOPES),
  signed: z.boolean().describe("True where calls must be signed with the hook's secret"),
  triggeredCount: z.int().describe("Triggers that were answered with a deployment"),
  lastTriggeredAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
}).meta({ id: "DeployHook" });
export type DeployHook = z.infer<typeof deployHook>;

const withUrl = deployHook.extend({
  url: z.url().describe("The trigger URL: a secret that is shown this once"),
  secret: z.string().nullable().describe(
    "What calls are signed with, shown this once; null where they need no signature",
  ),
});

const hookParams = z.object({ hook: uuid });

export const createHook = endpoint({
  method: "POST",
  path: "/v1/deploy-hooks",
  summary: "Create a deploy hook; its URL is shown this once",
  tag,
  body: z.object({
    projectId: projectReference.describe("Id or name of the project"),
    name: displayName,
    branch: hookBranch,
    scope: z.enum(HOOK_SCOPES),
    restrictBranch: z.boolean().optional().describe(
      "Refuses triggers for other branches; always so where `branch` is a pattern",
    ),
    signed: z.boolean().default(false).describe(
      "Makes a secret, and refuses calls that are not signed with it as forges do",
    ),
  }).strict(),
  response: withUrl,
  status: 201,
});

export const listHooks = endpoint({
  method: "GET",
  path: "/v1/deploy-hooks",
  summary: "List deploy hooks with their use, newest first",
  tag,
  query: pageQuery.extend({
    projectId: projectReference.optional().describe(
      "Id or name of a project; all of the workspace where missing",
    ),
    workspace: z.string().optional().describe(
      "Slug of the workspace, for sessions that do not send `X-Workspace`",
    ),
  }),
  response: page(deployHook),
});

export const getHook = endpoint({
  method: "GET",
  path: "/v1/deploy-hooks/{hook}",
  summary: "Show a deploy hook",
  tag,
  params: hookParams,
  response: deployHook,
});

export const updateHook = endpoint({
  method: "PATCH",
  path: "/v1/deploy-hooks/{hook}",
  summary: "Rename a deploy hook",
  tag,
  params: hookParams,
  body: z.object({ name: displayName }).strict(),
  response: deployHook,
});

export const deleteHook = endpoint({
  method: "DELETE",
  path: "/v1/deploy-hooks/{hook}",
  summary: "Delete a deploy hook; its URL stops working at once",
  tag,
  params: hookParams,
  status: 204,
});

export const regenerateHook = endpoint({
  method: "POST",
  path: "/v1/deploy-hooks/{hook}/regenerate",
  summary: "Give a deploy hook a new URL, shown this once; the old one stops working at once",
  tag,
  params: hookParams,
  response: withUrl,
});

const text = (what: string, maximum: number) =>
  z.string("Must be text").max(maximum, `${what} must have at most ${maximum} characters`);

/** What a caller says of the commit to deploy; other members are ignored. */
export const triggerBody = z.object({
  commitSha: z.string("Must be 7 to 40 hexadecimal digits").regex(
    /^[0-9a-fA-F]{7,40}$/,
    "Must be 7 to 40 hexadecimal digits",
  ).transform((sha) => sha.toLowerCase()).describe(
    "The commit to deploy, 7 to 40 hexadecimal digits",
  ),
  branch: z.string("Must be a git branch name").refine(
    (name) => branchName.safeParse(name).success,
    `Must be a git branch name of at most ${BRANCH_MAX} characters`,
  ),
  message: text("Message", 500).optional(),
  author: text("Author", 200).optional(),
  force: z.boolean("Must be true or false").default(false).describe(
    "Deploys although the same commit is deployed already",
  ),
});

export const triggerAnswer = z.object({
  id: uuid,
  status: z.enum(DEPLOYMENT_STATES).describe("`PENDING` for a new deployment"),
  isPreview: z.boolean(),
  url: z.url(),
  urls: deploymentUrls,
  message: z.string(),
  branch: z.string(),
  commitSha: z.string().describe("All 40 digits"),
  error: z.string().nullable().describe("Why the deployment failed; null otherwise"),
  statusUrl: z.url().describe(
    "Where to ask how it goes on, without the hook's token; for whoever has the address",
  ),
}).meta({ id: "TriggeredDeployment" });
export type TriggerAnswer = z.infer<typeof triggerAnswer>;

export const triggerHook = endpoint({
  method: "POST",
  path: "/v1/hooks/{token}",
  summary: "Deploy a commit, or take an event of a forge; the token in the path authorizes it",
  tag,
  auth: "none",
  idempotency: "own",
  traits: ["limited", "idempotency-key"],
  refusals: [401, 403, 404],
  params: z.object({ token: z.string() }),
  body: triggerBody,
  maxBodyBytes: MAX_TRIGGER_BYTES,
  response: triggerAnswer,
});

export const getTriggeredDeployment = endpoint({
  method: "GET",
  path: "/v1/triggered-deployments/{ticket}",
  summary: "Show the progress of a triggered deployment; the answer to a trigger names the address",
  tag,
  auth: "none",
  params: z.object({ ticket: z.string().max(500) }),
  response: triggerAnswer,
});
