/**
 * Protected hosts of a project: password, bypass key for CI and agents, and share links. @module
 */
import * as z from "zod";
import { PROTECTIONS } from "../lib/protection.ts";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { projectParams } from "./projects.ts";

const tag = "Previews";

/** Maximum number of active share links per project. */
export const MAX_SHARES = 100;
/** Default lifetime of a share link, in days. */
export const SHARE_DAYS = 7;
const MAX_SHARE_DAYS = 365;
const MAX_CIDRS = 50;
const MAX_PATHS = 50;
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 200;

const CIDR = /^[0-9A-Fa-f.:]{2,45}(?:\/\d{1,3})?$/;

const settings = z.object({
  protection: z.enum(PROTECTIONS).describe(
    "Who can visit all hosts except production: everyone (`off`), members of the workspace " +
      "(`members`), or also anyone with the password (`password`). With `all`, production is " +
      "for members too",
  ),
  allowCidrs: z.array(z.string().regex(CIDR, "Must be an IP address or a CIDR")).max(MAX_CIDRS)
    .meta({
      description: "IP addresses and CIDRs that skip sign-in",
      example: ["198.51.100.0/24"],
    }),
  exemptPaths: z.array(
    z.string().max(512).regex(/^\/[\x21-\x7e]*$/, "Must be a path that begins with /"),
  ).max(MAX_PATHS).meta({
    description: "Paths that skip sign-in, such as webhooks; `*` matches any text",
    example: ["/api/webhooks/*"],
  }),
  exemptOptions: z.boolean().describe(
    "True if `OPTIONS` requests skip sign-in; browsers send them without cookies",
  ),
});

const cidrs = settings.shape.allowCidrs;

export const previewAccess = settings.extend({
  project: z.string().meta({ description: "Name of the project", example: "shop" }),
  hasPassword: z.boolean().describe("True if a password is set"),
  hasBypassKey: z.boolean().describe("True if there is a bypass key"),
  maintenance: z.object({
    since: timestamp.describe("When it began"),
    allowCidrs: cidrs,
  }).nullable().describe("Maintenance of production; null if it is open"),
}).meta({ id: "PreviewAccess" });
export type PreviewAccess = z.infer<typeof previewAccess>;

const previewShare = z.object({
  id: uuid.describe("ID of the share link"),
  project: z.string().meta({ description: "Name of the project", example: "shop" }),
  deploymentId: uuid.nullable().describe(
    "Deployment that it serves; null if it serves a branch",
  ),
  branch: z.string().nullable().meta({
    description: "Branch whose latest deployment it serves; null if it serves a deployment",
    example: "feature",
  }),
  endsAt: timestamp.describe("When it ends"),
  createdAt: timestamp.describe("When it was created"),
  createdBy: z.string().meta({
    description: "Name of the person who created it",
    example: "Ada Lovelace",
  }),
}).meta({ id: "PreviewShare" });
export type PreviewShare = z.infer<typeof previewShare>;

export const getPreviewAccess = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/previews",
  summary: "Show who can visit a project's previews",
  tag,
  params: projectParams,
  response: previewAccess,
});

export const updatePreviewAccess = endpoint({
  method: "PATCH",
  path: "/v1/projects/{project}/previews",
  summary: "Change who can visit a project's previews. Takes effect on the next request",
  tag,
  params: projectParams,
  body: settings.partial().extend({
    maintenance: z.object({ allowCidrs: cidrs.default([]) }).strict().nullable().optional()
      .describe(
        "Shows a maintenance page to everyone except members and these IP addresses; null " +
          "opens production again",
      ),
    password: z.string()
      .min(PASSWORD_MIN, `Must have at least ${PASSWORD_MIN} characters`)
      .max(PASSWORD_MAX, `Must be at most ${PASSWORD_MAX} characters`)
      .nullable().optional().meta({
        description: "New password, which signs out everyone who used the old one; null removes it",
        example: "correct horse battery staple",
      }),
  }).strict(),
  maxBodyBytes: 128 * 1024,
  response: previewAccess,
});

export const createBypassKey = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/previews/bypass-key",
  summary:
    "Create a bypass key for CI and agents. It is shown only once. The old key stops working",
  tag,
  params: projectParams,
  response: z.object({
    project: z.string().meta({ description: "Name of the project", example: "shop" }),
    key: z.string().describe("The key: send it as `x-svc-bypass`"),
  }),
  status: 201,
});

export const deleteBypassKey = endpoint({
  method: "DELETE",
  path: "/v1/projects/{project}/previews/bypass-key",
  summary: "Delete the bypass key. It stops working immediately",
  tag,
  params: projectParams,
  status: 204,
});

export const createShare = endpoint({
  method: "POST",
  path: "/v1/deployments/{deployment}/shares",
  summary: "Create a share link for a deployment. Its URL is shown only once",
  tag,
  params: z.object({ deployment: uuid.describe("ID of the deployment") }),
  body: z.object({
    scope: z.enum(["deployment", "branch"]).default("deployment").describe(
      "What the link shows: this deployment, or the latest one of its branch",
    ),
    days: z.int().min(1).max(MAX_SHARE_DAYS).default(SHARE_DAYS).meta({
      description: "Days until it expires",
      example: 7,
    }),
  }).strict(),
  response: previewShare.extend({
    url: z.url().describe("The link: a secret that is shown only once"),
  }),
  status: 201,
});

export const listShares = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/previews/shares",
  summary: "List active share links, newest first",
  tag,
  params: projectParams,
  query: pageQuery,
  response: page(previewShare),
});

export const deleteShare = endpoint({
  method: "DELETE",
  path: "/v1/projects/{project}/previews/shares/{share}",
  summary: "Revoke a share link. Everyone who used it loses access immediately",
  tag,
  params: projectParams.extend({ share: uuid.describe("ID of the share link") }),
  status: 204,
});
