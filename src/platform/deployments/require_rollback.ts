/**
 * What a rollback does, or why it cannot be done.
 *
 * @module
 */
import { Failure } from "../core/http/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import { planRollback } from "./production_history.ts";

/** Plans a rollback. @throws {Failure} `conflict` */
export function requireRollback(
  project: ProjectRecord,
  wanted: { readonly undo?: string | undefined; readonly to?: string | undefined },
) {
  const plan = planRollback(project.productionHistory, wanted);
  switch (plan.type) {
    case "nothing_live":
      throw new Failure(
        "conflict",
        `Project "${project.name}" has no production deployment to roll back`,
      );
    case "not_live":
      throw new Failure(
        "conflict",
        `Deployment ${wanted.undo} is not live in production: ${plan.live} is`,
      );
    case "no_earlier":
      throw new Failure(
        "conflict",
        `There is no earlier deployment to roll back to`,
      );
    case "already_live":
      throw new Failure("conflict", `Deployment ${plan.live} is already live`);
  }
  return plan;
}
