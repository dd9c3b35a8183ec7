/**
 * Refuses what an API key has no permission for.
 *
 * @module
 */
import { isOfOneProject, lackedFor } from "../../../contract/endpoint_permissions.ts";
import type { KeyGrant } from "../../core/access/mod.ts";
import { Failure, type GuardedEndpoint, lackedPermission } from "../../core/http/mod.ts";

/**
 * Checks a key's permissions and, where it is limited to projects, that the endpoint is
 * about one. Whether it is one of the key's own is checked where the project is found.
 *
 * @throws {Failure} `forbidden`, naming the permission that is missing
 */
export function refuseUnpermitted(grant: KeyGrant | undefined, endpoint: GuardedEndpoint): void {
  if (grant === undefined) return;
  const lacked = lackedFor(endpoint, grant.permissions);
  if (lacked !== undefined) throw lackedPermission(grant, lacked);
  if (grant.projects === null || isOfOneProject(endpoint)) return;
  throw new Failure(
    "forbidden",
    "Cannot do this with an API key that is limited to projects, because it affects the whole workspace",
  );
}
