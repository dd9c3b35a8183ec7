/**
 * What a refusal for lack of a permission says.
 *
 * @module
 */
import { deployPermission, type Permission } from "../../../contract/mod.ts";
import { type Caller, isPermitted } from "../access/mod.ts";
import { Failure } from "./failure.ts";

/** A refusal that names the permissions of which an API key needs one. */
export function lackedPermission(lacked: readonly Permission[]): Failure {
  const named = lacked.map((each) => `"${each}"`).join(" or ");
  return new Failure(
    "forbidden",
    `Cannot do this with this API key: it lacks the permission ${named}`,
  );
}

/**
 * Checks that a caller may deploy to an environment.
 *
 * @throws {Failure} `forbidden`
 */
export function requireDeploy(caller: Caller, environment: string): void {
  const needed = deployPermission(environment);
  if (!isPermitted(caller, needed)) throw lackedPermission([needed]);
}
