/**
 * Differences between two deployments of a project.
 *
 * @module
 */
import * as z from "zod";
import { uuid } from "./common.ts";
import { deployment } from "./deployments.ts";
import { endpoint } from "./endpoint.ts";

/** Most differences of each kind that an answer lists. */
export const MAX_DIFFERENCES = 200;

export const CHANGES = ["added", "removed", "changed"] as const;

const text = z.string().nullable();

export const difference = z.object({
  name: z.string().describe("What differs: a path, a pattern, an id or a name"),
  change: z.enum(CHANGES).describe("What became of it since the base"),
  before: text.describe("What it was in the base, in short; null where it was not, or is secret"),
  after: text.describe("What it is now, in short; null where it is not, or is secret"),
}).meta({ id: "Difference" });
export type Difference = z.infer<typeof difference>;

const count = z.int().nonnegative().describe("How many, listed or not");

export const differences = z.object({
  added: count,
  removed: count,
  changed: count,
  items: z.array(difference).describe(`The first ${MAX_DIFFERENCES} of them, by name`),
}).meta({ id: "Differences" });
export type Differences = z.infer<typeof differences>;

export const deploymentComparison = z.object({
  base: deployment.describe("The deployment that is compared with"),
  deployment: deployment.describe("The deployment that is compared"),
  files: differences.describe("Files by path"),
  routes: differences.describe("Routes of the manifest by methods and pattern"),
  rules: differences.describe("Edge rules by id"),
  rulesReordered: z.boolean().describe("True where rules of both are in another order"),
  functions: differences.describe("Functions by name"),
  variables: differences.describe(
    "Variables that they were created with, by name; values are never part of the answer",
  ),
}).meta({ id: "DeploymentComparison" });
export type DeploymentComparison = z.infer<typeof deploymentComparison>;

export const compareDeployments = endpoint({
  method: "GET",
  path: "/v1/deployments/{deployment}/comparison",
  summary: "Show what differs between a deployment and another one of its project",
  tag: "Deployments",
  params: z.object({ deployment: uuid.describe("Id of the deployment") }),
  query: z.object({
    base: uuid.optional().describe(
      "Id of the deployment to compare with; where missing, the one that production shows, or " +
        "showed before where it shows this one",
    ),
  }),
  response: deploymentComparison,
  refusals: [409],
});
