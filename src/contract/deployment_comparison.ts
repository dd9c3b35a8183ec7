/** Differences between two deployments of a project. @module */
import * as z from "zod";
import { uuid } from "./common.ts";
import { deployment } from "./deployments.ts";
import { endpoint } from "./endpoint.ts";

/** Maximum number of differences of each kind to list in a response. */
export const MAX_DIFFERENCES = 200;

export const CHANGES = ["added", "removed", "changed"] as const;

const text = z.string().nullable();

export const difference = z.object({
  name: z.string().describe("The path, pattern, ID or name that differs"),
  change: z.enum(CHANGES).describe("How it differs from the base"),
  before: text.describe("Short form in the base; null if absent or secret"),
  after: text.describe("Short form now; null if absent or secret"),
}).meta({ id: "Difference" });
export type Difference = z.infer<typeof difference>;

const count = z.int().nonnegative().describe("Number of differences");

export const differences = z.object({
  added: count,
  removed: count,
  changed: count,
  items: z.array(difference).describe(`First ${MAX_DIFFERENCES} differences by name`),
}).meta({ id: "Differences" });
export type Differences = z.infer<typeof differences>;

const deploymentComparison = z.object({
  base: deployment.describe("Deployment to compare with"),
  deployment: deployment.describe("Compared deployment"),
  files: differences.describe("Files by path"),
  routes: differences.describe("Manifest routes by methods and pattern"),
  rules: differences.describe("Edge rules by ID"),
  rulesReordered: z.boolean().describe("True if the shared rules are in a different order"),
  functions: differences.describe("Functions by name"),
  variables: differences.describe(
    "Variables by name. Values are left out",
  ),
}).meta({ id: "DeploymentComparison" });
export type DeploymentComparison = z.infer<typeof deploymentComparison>;

/** The kinds of changes in a summary, with their singular and plural. */
const COUNTED = [
  ["files", "file", "files"],
  ["routes", "route", "routes"],
  ["rules", "rule", "rules"],
  ["functions", "function", "functions"],
  ["variables", "variable", "variables"],
] as const;

/** Describes the differences in a sentence, such as `3 files and 1 rule differ.` */
export function differenceText(comparison: DeploymentComparison): string {
  const parts = COUNTED.flatMap(([kind, one, several]) => {
    const { added, removed, changed } = comparison[kind];
    const total = added + removed + changed;
    return total === 0 ? [] : [{ total, text: `${total} ${total === 1 ? one : several}` }];
  });
  if (parts.length === 0) {
    return comparison.rulesReordered ? "The order of the rules differs." : "Nothing differs.";
  }
  const list = new Intl.ListFormat("en-GB").format(parts.map(({ text }) => text));
  const isSingle = parts.length === 1 && parts[0]!.total === 1;
  return `${list} ${isSingle ? "differs" : "differ"}.`;
}

export const compareDeployments = endpoint({
  method: "GET",
  path: "/v1/deployments/{deployment}/comparison",
  summary: "Compare a deployment with another deployment of the same project",
  tag: "Deployments",
  params: z.object({ deployment: uuid.describe("ID of the deployment") }),
  query: z.object({
    base: uuid.optional().describe(
      "ID of the deployment to compare with. If omitted, the production deployment, or the previous one if this is the production deployment",
    ),
  }),
  response: deploymentComparison,
  refusals: [409],
});
