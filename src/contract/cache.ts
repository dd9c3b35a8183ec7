/** The edge's cache of responses. @module */
import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { environmentReference } from "./environments.ts";
import { projectParams } from "./projects.ts";

const purgePath = z.string().min(1).max(2048).startsWith("/", "Must begin with /");

/** Options that apply to every purge. */
const purgeOptions = {
  soft: z.boolean().optional().describe(
    "If true, mark responses as stale: they can be served while the edge refreshes them. If false or omitted, remove them",
  ),
  environment: environmentReference.optional().describe(
    "Name or ID of the environment to purge; all if omitted",
  ),
};

/** What to purge: everything, one path, a prefix, or a tag, each in all variants. */
const purgeBody = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("all").meta({ description: "Purge everything", example: "all" }),
    ...purgeOptions,
  }).strict(),
  z.object({
    type: z.literal("path").meta({ description: "Purge one path", example: "path" }),
    path: purgePath.meta({ description: "Path to purge", example: "/menu" }),
    ...purgeOptions,
  }).strict(),
  z.object({
    type: z.literal("prefix").meta({
      description: "Purge the paths below a prefix",
      example: "prefix",
    }),
    prefix: purgePath.meta({ description: "Prefix of the paths to purge", example: "/blog/" }),
    ...purgeOptions,
  }).strict(),
  z.object({
    type: z.literal("tag").meta({ description: "Purge by tags", example: "tag" }),
    tag: z.string().min(1).max(256).describe(
      "Tag from the response header `Cache-Tag` or `SVC-Cache-Tag`",
    ),
    ...purgeOptions,
  }).strict(),
]);

export const purgeCache = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/purge",
  summary: "Purge cached responses of the project's deployments",
  tag: "Cache",
  params: projectParams,
  body: purgeBody,
  response: z.object({
    purged: z.int().describe("Number of responses that were removed or marked as stale"),
  }),
});
