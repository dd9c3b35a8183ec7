/** Explains a refusal caused by a missing permission. @module */
import { deployPermission, type Permission } from "../../../contract/permissions.ts";
import { type Caller, isPermitted, type KeyGrant } from "../access/mod.ts";
import { Failure } from "./failure.ts";

const HINT =
  "See the permissions of a key with svc whoami. Use a key with this permission, or ask an " +
  "owner to add it with svc keys update --permission.";

const quoted = (permissions: readonly Permission[]) => permissions.map((each) => `"${each}"`);

function describeReach({ projects }: KeyGrant): string {
  if (projects === null) return "in all projects";
  return projects.length === 1 ? "in one project" : `in ${projects.length} projects`;
}

/** Creates a refusal that lists the key's permissions, if known, and those that would suffice. */
export function lackedPermission(
  grant: KeyGrant | undefined,
  lacked: readonly Permission[],
): Failure {
  const held = grant === undefined
    ? ""
    : `has ${quoted(grant.permissions).join(", ")} ${describeReach(grant)}, and `;
  return new Failure(
    "forbidden",
    `Cannot do this with this API key: it ${held}lacks the permission ` +
      quoted(lacked).join(" or "),
    { hint: HINT },
  );
}

/** @throws {Failure} `forbidden` */
export function requireDeploy(caller: Caller, environment: string): void {
  requirePermission(caller, deployPermission(environment));
}

/** @throws {Failure} `forbidden` */
export function requirePermission(caller: Caller, needed: Permission): void {
  if (!isPermitted(caller, needed)) throw lackedPermission(caller.grant, [needed]);
}
