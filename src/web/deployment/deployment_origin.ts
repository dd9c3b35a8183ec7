/** @module Describes what started a deployment. Pure. */
import type { BuildTrigger, DeploymentRecord } from "../../platform/deployments/mod.ts";

const BUILDS: Readonly<Record<BuildTrigger, string>> = {
  push: "Git push",
  upload: "Upload",
  hook: "Deploy hook",
  request: "Manual build",
};

/** Returns what triggered a deployment. Older versions of svc did not record this for builds. */
export function originOf(
  { promotedFrom, redeployOf, source, trigger }: Pick<
    DeploymentRecord,
    "promotedFrom" | "redeployOf" | "source" | "trigger"
  >,
): string {
  if (redeployOf !== null) return `Redeploy of ${redeployOf.slice(0, 8)}`;
  if (promotedFrom !== null) return "Promoted from a preview";
  if (source === "upload") return "Upload";
  return trigger === undefined ? "Git" : BUILDS[trigger];
}
