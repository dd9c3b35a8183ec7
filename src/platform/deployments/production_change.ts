/** Computes how a project changes when production serves another deployment. Pure. @module */
import type { HostBinding } from "../../feed/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import { withLive, withReplaced } from "./production_history.ts";
import type { ReleaseRecord } from "./release_record.ts";

/** Returns the project as it is once production has switched to another deployment. */
export function shownInProduction(project: ProjectRecord, id: string, now: number): ProjectRecord {
  const { productionHistory, productionPast } = project;
  const replaced = productionHistory.at(-1);
  return {
    ...project,
    productionHistory: withLive(productionHistory, id),
    productionPast: withReplaced(productionPast, { replaced, live: id, now }),
  };
}

/**
 * Records a deployment that production no longer serves. Visitors may still have its pages open.
 */
function noLongerShown(project: ProjectRecord, id: string, now: number): ProjectRecord {
  const live = project.productionHistory.at(-1) ?? "";
  return {
    ...project,
    productionPast: withReplaced(project.productionPast, { replaced: id, live, now }),
  };
}

/** Returns the project as it is once a rolling release has reached a state. */
export function afterRelease(
  project: ProjectRecord,
  { state, to }: ReleaseRecord,
  now: number,
): ProjectRecord {
  if (state === "FINISHED") return shownInProduction(project, to, now);
  return state === "WITHDRAWN" ? noLongerShown(project, to, now) : project;
}

/**
 * Returns whether a label is the production host and, if so, which earlier deployments the label
 * still serves.
 */
export const productionOf = (
  { name, productionPast }: ProjectRecord,
  label: string,
): Pick<HostBinding, "production" | "past"> =>
  label === name ? { production: true, past: productionPast } : { production: false };
