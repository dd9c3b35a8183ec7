/**
 * Reports of a deployment to the forge of its repository.
 *
 * @module
 */
import * as z from "zod";
import { timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { FORGES } from "./projects.ts";

export const forgeReport = z.object({
  forge: z.enum(FORGES).describe("What serves the repository"),
  repository: z.string().describe("Path of the repository at its forge"),
  state: z.string().nullable().describe("How its commit is marked; null where it is not"),
  isCommented: z.boolean().describe("Whether a pull request has a comment about it"),
  problem: z.string().nullable().describe("Why the last report did not reach the forge"),
  at: timestamp.describe("When the forge was told last, or could not be"),
}).meta({ id: "ForgeReport" });
export type ForgeReport = z.infer<typeof forgeReport>;

export const getForgeReport = endpoint({
  method: "GET",
  path: "/v1/deployments/{deployment}/forge-report",
  summary: "Show what the forge of the repository was told of a deployment",
  tag: "Deployments",
  params: z.object({ deployment: uuid.describe("Id of the deployment") }),
  response: z.object({
    report: forgeReport.nullable().describe("Null where there was no forge to tell"),
  }),
});
