/**
 * The edge's cache of answers.
 *
 * @module
 */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { projectParams } from "./projects.ts";

const purgePath = z.string().min(1).max(2048).startsWith("/", "Must begin with /");

/**
 * What a purge removes: everything, one path, or all paths with a prefix; in
 * all their variants.
 */
export const purgeBody = z.discriminatedUnion("type", [
  z.object({ type: z.literal("all") }).strict(),
  z.object({ type: z.literal("path"), path: purgePath }).strict(),
  z.object({ type: z.literal("prefix"), prefix: purgePath }).strict(),
]);

export const purgeCache = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/purge",
  summary: "Purge cached answers of all the project's deployments",
  tag: "Cache",
  params: projectParams,
  body: purgeBody,
  response: z.object({
    purged: z.int().describe("Answers that were purged"),
  }),
});
