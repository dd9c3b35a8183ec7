/** Deploy hooks: secret URLs that start deployments. @module */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { DEPLOYMENT_STATES, deploymentUrls } from "./deployments.ts";
import { endpoint } from "./endpoint.ts";
import { displayName } from "./identity.ts";
import { BRANCH_MAX, branchName, projectReference } from "./projects.ts";

const tag = "Deploy hooks";

export const HOOK_SCOPES = ["Production", "Preview", "All"] as const;
export type HookScope = (typeof HOOK_SCOPES)[number];

/** Maximum number of triggers per hook and minute. */
export const HOOK_TRIGGERS_PER_MINUTE = 30;
/** Maximum number of hooks per project. */
export const MAX_HOOKS = 100;
/** Maximum size of a trigger's body, in bytes. */
const MAX_TRIGGER_BYTES = 64 * 1024;

/** A branch, or a branch pattern in which `*` matches any text. */
const hookBranch = z.string().min(1).max(BRANCH_MAX).refine(
  (text) => branchName.safeParse(text.replaceAll("*", "x")).success,
  "Must be a git branch name, or one with * for any text",
);

const deployHook = z.object({
  id: uuid.describe("ID of the deploy hook"),
  projectId: uuid.describe("ID of the project"),
  project: z.string().meta({ description: "Name of the project", example: "shop" }),
  name: z.string().meta({ description: "Name of the hook", example: "ci" }),
  branch: z.string().meta({
    description: "Branch of the hook, or a pattern such as `release/*`",
    example: "main",
  }),
  restrictBranch: z.boolean().describe(
    "True if requests for branches other than `branch` are refused",
  ),
  scope: z.enum(HOOK_SCOPES).meta({
    description: "Environments that the hook can deploy to",
    example: "All",
  }),
  signed: z.boolean().describe("True if requests must be signed with the hook's secret"),
  triggeredCount: z.int().describe("Number of deployments that the hook triggered"),
  lastTriggeredAt: timestamp.nullable().describe("When the hook was last triggered; null if never"),
  createdAt: timestamp.describe("When the deploy hook was created"),
  updatedAt: timestamp.describe("When the deploy hook was last changed"),
}).meta({ id: "DeployHook" });
export type DeployHook = z.infer<typeof deployHook>;

const withUrl = deployHook.extend({
  url: z.url().describe("Trigger URL. It is a secret and shown only once"),
  secret: z.string().nullable().describe(
    "Secret for signing requests, shown only once; null if no signature is required",
  ),
});

const hookParams = z.object({ hook: uuid.describe("ID of the deploy hook") });

export const createHook = endpoint({
  method: "POST",
  path: "/v1/deploy-hooks",
  summary: "Create a deploy hook. Its URL is shown only once",
  tag,
  body: z.object({
    projectId: projectReference.meta({
      description: "ID or name of the project",
      example: "shop",
    }),
    name: displayName.meta({ description: "Name of the hook", example: "ci" }),
    branch: hookBranch.meta({
      description: "Branch of the hook, or a pattern such as `release/*`",
      example: "main",
    }),
    scope: z.enum(HOOK_SCOPES).meta({
      description: "Environments that the hook can deploy to",
      example: "All",
    }),
    restrictBranch: z.boolean().optional().describe(
      "Refuse requests for other branches. Always on if `branch` is a pattern",
    ),
    signed: z.boolean().default(false).describe(
      "Create a secret, and refuse requests without a signature in the style of GitHub or GitLab",
    ),
  }).strict(),
  response: withUrl,
  status: 201,
});

export const listHooks = endpoint({
  method: "GET",
  path: "/v1/deploy-hooks",
  summary: "List deploy hooks, newest first",
  tag,
  query: pageQuery.extend({
    projectId: projectReference.optional().meta({
      description: "ID or name of a project; all projects if omitted",
      example: "shop",
    }),
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
  body: z.object({ name: displayName.meta({ description: "Name of the hook", example: "github" }) })
    .strict(),
  response: deployHook,
});

export const deleteHook = endpoint({
  method: "DELETE",
  path: "/v1/deploy-hooks/{hook}",
  summary: "Delete a deploy hook. Its URL stops working immediately",
  tag,
  params: hookParams,
  status: 204,
});

export const regenerateHook = endpoint({
  method: "POST",
  path: "/v1/deploy-hooks/{hook}/regenerate",
  summary:
    "Regenerate a deploy hook's URL. The new URL is shown only once. The old one stops working immediately",
  tag,
  params: hookParams,
  response: withUrl,
});

const text = (what: string, maximum: number) =>
  z.string("Must be a string").max(maximum, `${what} must be at most ${maximum} characters`);

/** The commit to deploy, as the caller names it. Other fields are ignored. */
export const triggerBody = z.object({
  commitSha: z.string("Must be 7 to 40 hexadecimal digits").regex(
    /^[0-9a-fA-F]{7,40}$/,
    "Must be 7 to 40 hexadecimal digits",
  ).transform((sha) => sha.toLowerCase()).meta({
    description: "Commit to deploy, 7 to 40 hexadecimal digits",
    example: "8f14e45fceea167a5a36dedd4bea2543c1a0f4d1",
  }),
  branch: z.string("Must be a git branch name").refine(
    (name) => branchName.safeParse(name).success,
    `Must be a git branch name of at most ${BRANCH_MAX} characters`,
  ).meta({ description: "Branch to deploy; the hook's branch if omitted", example: "main" }),
  message: text("Message", 500).optional().meta({
    description: "Commit message",
    example: "Add the summer menu",
  }),
  author: text("Author", 200).optional().meta({
    description: "Author of the commit",
    example: "Ada Lovelace",
  }),
  force: z.boolean("Must be true or false").default(false).describe(
    "Deploy even if the same commit is already deployed",
  ),
});

export const triggerAnswer = z.object({
  id: uuid.describe("ID of the deployment"),
  status: z.enum(DEPLOYMENT_STATES).describe("`PENDING` for a new deployment"),
  isPreview: z.boolean().describe("False for a production deployment, true otherwise"),
  url: z.url().meta({ description: "URL of the deployment", example: "https://shop.example.net" }),
  urls: deploymentUrls.describe("URLs that serve the deployment"),
  message: z.string().meta({
    description: "Human-readable status of the deployment",
    example: "Add the summer menu",
  }),
  branch: z.string().meta({ description: "Git branch", example: "main" }),
  commitSha: z.string().describe("Full commit SHA"),
  error: z.string().nullable().describe("Why the deployment failed; null otherwise"),
  statusUrl: z.url().describe(
    "URL to check the progress. It needs no token, so anyone who has it can see the progress",
  ),
}).meta({ id: "TriggeredDeployment" });
export type TriggerAnswer = z.infer<typeof triggerAnswer>;

export const triggerHook = endpoint({
  method: "POST",
  path: "/v1/hooks/{token}",
  summary:
    "Deploy a commit, or handle a webhook from a forge. The token in the path authorizes the request",
  tag,
  auth: "none",
  idempotency: "own",
  traits: ["limited", "idempotency-key"],
  refusals: [401, 403, 404],
  params: z.object({
    token: z.string().meta({
      description: "Token of the deploy hook",
      example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    }),
  }),
  body: triggerBody,
  maxBodyBytes: MAX_TRIGGER_BYTES,
  response: triggerAnswer,
});

export const getTriggeredDeployment = endpoint({
  method: "GET",
  path: "/v1/triggered-deployments/{ticket}",
  summary:
    "Show the progress of a triggered deployment. Use the status URL from the response to the trigger",
  tag,
  auth: "none",
  params: z.object({
    ticket: z.string().max(500).meta({
      description: "Ticket from the trigger's status URL",
      example: "kX2v9Qm4Zr7Tb1Lw5Nc8Hd3Fg6Js0Ya",
    }),
  }),
  response: triggerAnswer,
});
