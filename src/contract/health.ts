/**
 * Whether what a project shows in production works.
 *
 * @module
 */
import * as z from "zod";
import { timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { projectParams } from "./projects.ts";

export const projectHealth = z.object({
  state: z.enum(["none", "static", "idle", "healthy", "unhealthy"]).describe(
    "`none`: nothing is live. `static`: files only, which need no server. `idle`: the server has ended because nobody asked; the next request starts it.",
  ),
  since: timestamp.nullable().describe("Since when it is so; null where that is not known"),
  reason: z.string().nullable().describe("What is wrong; null where nothing is"),
  deploymentId: uuid.nullable().describe("Id of the production deployment; null before the first"),
}).meta({ id: "ProjectHealth" });
export type ProjectHealth = z.infer<typeof projectHealth>;

export const getProjectHealth = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/health",
  summary: "Show whether the servers of a project's production deployment work",
  tag: "Projects",
  params: projectParams,
  response: projectHealth,
});
