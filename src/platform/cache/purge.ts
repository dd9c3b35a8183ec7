/**
 * `POST /v1/projects/{project}/purge`: removes cached responses from the edge, or marks them stale.
 *
 * @module
 */
import type { SiteDirectory } from "../../edge/mod.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { PurgeScope } from "../../edge/mod.ts";
import { type CachedAnswers, purgedPath } from "../compute/mod.ts";
import type { Capability } from "../core/capability.ts";
import { Failure } from "../core/http/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import { type EnvironmentStore, findEnvironmentName } from "../environments/mod.ts";
import { findProject, type ProjectRecord, type ProjectStore } from "../projects/mod.ts";
import { SharedPurges, type SharedPurgesParts } from "./shared_purges.ts";

type CacheFoundation = Omit<SharedPurgesParts, "cached">;

interface CacheServices {
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
  readonly deployments: Pick<DeploymentStore, "find">;
  readonly sites: SiteDirectory;
  readonly cached: Pick<
    CachedAnswers,
    "purge" | "purgeAll" | "onRevalidation" | "repeatRevalidation"
  >;
}

async function shownDeployments(
  { sites, environments, deployments }: CacheServices,
  project: ProjectRecord,
  environment: string | undefined,
): Promise<readonly string[]> {
  const ids = [...sites.deploymentsOf(project.id)];
  if (environment === undefined) return ids;
  const name = await findEnvironmentName(environments, project, environment);
  const records = await Promise.all(ids.map((id) => deployments.find(project.id, id)));
  return records.filter((record) => record?.environment === name).map((record) => record!.id);
}

function comparable(scope: PurgeScope): PurgeScope {
  if (scope.type !== "path") return scope;
  const path = purgedPath(scope.path);
  if (path !== undefined) return { type: "path", path };
  throw new Failure("invalid_request", `The path "${scope.path}" is not a valid request path`);
}

export function createCache(foundation: CacheFoundation, services: CacheServices): Capability {
  const { projects, cached } = services;
  const purges = new SharedPurges({ ...foundation, cached });
  cached.onRevalidation((revalidated) =>
    purges.tell({ ...revalidated, scopes: [...revalidated.scopes] })
  );
  return {
    name: "cache",
    recover: () => purges.recover(),
    whenListening: () => purges.start(),
    storeChanged: (changed) => purges.repeat(changed),
    rereadStore: () => purges.purgeAll(),
    close: () => purges.close(),
    bindRoutes(router) {
      router.guarded(endpoints.purgeCache, async (caller, { params, body }) => {
        const project = await findProject(projects, caller, params.project);
        const { soft = false, environment, ...asked } = body;
        const scope = comparable(asked);
        let purged = 0;
        for (const id of await shownDeployments(services, project, environment)) {
          await purges.tell({ deploymentId: id, scope, soft });
          purged += await cached.purge(id, scope, { soft });
        }
        return { purged };
      });
    },
  };
}
