/** The health of a project's production. @module */
import * as z from "zod";
import { timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { projectParams } from "./projects.ts";

export const projectHealth = z.object({
  state: z.enum(["none", "static", "idle", "healthy", "unhealthy"]).describe(
    "`none`: nothing is live. `static`: a static site without a server. `idle`: the server stopped because there were no requests. The next request starts it.",
  ),
  since: timestamp.nullable().describe("Since when; null if unknown"),
  reason: z.string().nullable().describe("Why it is unhealthy; null if it is not"),
  deploymentId: uuid.nullable().describe("ID of the production deployment; null before the first"),
}).meta({ id: "ProjectHealth" });
export type ProjectHealth = z.infer<typeof projectHealth>;

export const getProjectHealth = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/health",
  summary: "Show the health of a project's production servers",
  tag: "Projects",
  params: projectParams,
  response: projectHealth,
});
