/** Reports on a deployment to the forge that hosts its repository. @module */
import * as z from "zod";
import { timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { FORGES } from "./projects.ts";

export const forgeReport = z.object({
  forge: z.enum(FORGES).describe("Forge that hosts the repository"),
  repository: z.string().describe("Path of the repository on the forge"),
  state: z.string().nullable().describe("Status set on the commit; null if none"),
  isCommented: z.boolean().describe("Whether the pull request has a comment from svc"),
  problem: z.string().nullable().describe("Why the last report failed"),
  at: timestamp.describe("When the last report was sent or failed"),
}).meta({ id: "ForgeReport" });
export type ForgeReport = z.infer<typeof forgeReport>;

export const getForgeReport = endpoint({
  method: "GET",
  path: "/v1/deployments/{deployment}/forge-report",
  summary: "Show the status that was reported to the forge for a deployment",
  tag: "Deployments",
  params: z.object({ deployment: uuid.describe("ID of the deployment") }),
  response: z.object({
    report: forgeReport.nullable().describe("Null if there is no forge to report to"),
  }),
});
