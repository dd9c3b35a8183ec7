/**
 * `POST /v1/projects/{project}/purge`: removes what the edge caches, or marks it as
 * stale.
 *
 * @module
 */
import { z } from "zod";
import type { SiteDirectory } from "../../edge/mod.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { endpoints } from "../../contract/mod.ts";
import type { PurgeScope } from "../../edge/mod.ts";
import { type ComputeService, purgedPath } from "../compute/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { Failure } from "../core/http/mod.ts";
import { keys, readAll, readRecord } from "../core/store/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import { type EnvironmentStore, findEnvironmentName } from "../environments/mod.ts";
import { findProject, type ProjectRecord, type ProjectStore } from "../projects/mod.ts";

export interface CacheServices {
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
  readonly deployments: Pick<DeploymentStore, "find">;
  readonly sites: SiteDirectory;
  readonly computeService: Pick<
    ComputeService,
    "purge" | "onRevalidation" | "repeatRevalidation"
  >;
}

/** The deployments that hosts of a project show, in one environment where one is named. */
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
  throw new Failure("invalid_request", `The path "${scope.path}" cannot be the path of a request`);
}

const scopeRecord = z.custom<PurgeScope>((value) => typeof value === "object" && value !== null);

const purgeRecord = z.union([
  z.object({ deploymentId: z.string(), scope: scopeRecord, soft: z.boolean() }),
  /** What the server of the deployment itself revalidated. */
  z.object({ deploymentId: z.string(), scopes: z.array(scopeRecord), soft: z.boolean() }),
]);
type PurgeRecord = z.infer<typeof purgeRecord>;

/** How long other nodes can learn of a purge, in milliseconds. */
const REMEMBERED_MS = 15 * 60 * 1000;

export function createCache(
  { kv, nodes, now, random }: Pick<Foundation, "kv" | "nodes" | "now" | "random">,
  services: CacheServices,
): Capability {
  const { projects, computeService } = services;
  const repeat = async (record: PurgeRecord) => {
    const { deploymentId, soft } = record;
    if ("scope" in record) await computeService.purge(deploymentId, record.scope, { soft });
    else await computeService.repeatRevalidation(deploymentId, record);
  };
  const repeatAll = async () => {
    for await (const { value } of readAll(kv, keys.purges(), purgeRecord)) await repeat(value);
  };
  const tellOthers = async (record: PurgeRecord) => {
    if (!nodes.isShared) return;
    await kv.set(keys.purge(uuidV7(now, random)), record, { expireIn: REMEMBERED_MS });
  };
  computeService.onRevalidation((revalidated) =>
    tellOthers({ ...revalidated, scopes: [...revalidated.scopes] })
  );
  return {
    name: "cache",
    // A node keeps pages on its disk, which others have purged while it was away.
    recover: () => nodes.isShared ? repeatAll() : Promise.resolve(),
    async storeChanged(changed) {
      for (const key of changed) {
        if (key[0] !== keys.purges()[0]) continue;
        const found = await readRecord(kv, key, purgeRecord);
        if (found !== undefined) await repeat(found.value);
      }
    },
    rereadStore: repeatAll,
    bindRoutes(router) {
      router.guarded(endpoints.purgeCache, async (caller, { params, body }) => {
        const project = await findProject(projects, caller, params.project);
        const { soft = false, environment, ...asked } = body;
        const scope = comparable(asked);
        let purged = 0;
        for (const id of await shownDeployments(services, project, environment)) {
          await tellOthers({ deploymentId: id, scope, soft });
          purged += await computeService.purge(id, scope, { soft });
        }
        return { purged };
      });
    },
  };
}
