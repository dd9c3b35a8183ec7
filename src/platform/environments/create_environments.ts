/** Wires up environments. @module */
import { BUILT_IN_ENVIRONMENTS } from "../../contract/environment_names.ts";
import { MAX_COUNTED } from "../../contract/usage.ts";
import type { Capability, DeletedEnvironment } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { countBelow, keys, keysBelow } from "../core/store/mod.ts";
import { EnvironmentStore } from "./environment_store.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { uuidV7 } from "../../lib/ids.ts";
import type { Addresses } from "../core/addresses.ts";
import { Failure, type Router } from "../core/http/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import {
  builtInToWire,
  type EnvironmentRecord,
  environmentToWire,
  isReservedEnvironment,
} from "./environment.ts";

interface EnvironmentServices {
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
  readonly addresses: Addresses;
  readonly now: Clock;
  readonly random: Random;
  /** Removes what other capabilities have stored for a deleted environment. */
  onDeleted(environment: DeletedEnvironment): Promise<void>;
}

function bindEnvironmentRoutes(router: Router, services: EnvironmentServices): void {
  const { projects, environments, addresses, now, random } = services;

  router.guarded(endpoints.listEnvironments, async (caller, { params, query }) => {
    const project = await findProject(projects, caller, params.project);
    const page = await environments.list(project.id, query);
    const builtIn = query.cursor === undefined ? BUILT_IN_ENVIRONMENTS : [];
    return {
      items: [
        ...builtIn.map((name) => builtInToWire(name, project, addresses)),
        ...page.items.map((each) => environmentToWire(each, project, addresses)),
      ],
      nextCursor: page.nextCursor,
    };
  });

  router.guarded(endpoints.createEnvironment, async (caller, { params, body }) => {
    const project = await findProject(projects, caller, params.project);
    const environment: EnvironmentRecord = {
      id: uuidV7(now, random),
      name: body.name,
      createdAt: now(),
    };
    const { id: projectId, name: projectName } = project;
    // An earlier deletion may have failed.
    if (await environments.isBeingDeleted(projectId, body.name)) {
      await services.onDeleted({ projectId, projectName, name: body.name });
    }
    const created = !isReservedEnvironment(body.name) &&
      await environments.create(project, environment);
    if (!created) throw new Failure("conflict", `Environment "${body.name}" already exists`);
    return environmentToWire(environment, project, addresses);
  });

  router.guarded(endpoints.deleteEnvironment, async (caller, { params, note }) => {
    const project = await findProject(projects, caller, params.project);
    if (BUILT_IN_ENVIRONMENTS.includes(params.environment)) {
      throw new Failure("conflict", `Environment "${params.environment}" cannot be deleted`);
    }
    const environment = await environments.find(project.id, params.environment);
    if (environment !== undefined) {
      note({ before: environment });
      await environments.delete(project, environment);
    } else if (!await environments.isBeingDeleted(project.id, params.environment)) {
      throw new Failure("not_found", `Environment "${params.environment}" does not exist`);
    }
    await services.onDeleted({
      projectId: project.id,
      projectName: project.name,
      name: environment?.name ?? params.environment,
    });
    return undefined;
  });
}

export interface Environments {
  readonly environments: EnvironmentStore;
  readonly capability: Capability;
}

export function createEnvironments(
  foundation: Pick<Foundation, "kv" | "addresses" | "now" | "random">,
  parts: Pick<EnvironmentServices, "projects" | "onDeleted">,
): Environments {
  const { kv } = foundation;
  const environments = new EnvironmentStore(kv);
  return {
    environments,
    capability: {
      name: "environments",
      bindRoutes: (router) =>
        bindEnvironmentRoutes(router, { ...foundation, ...parts, environments }),
      async *projectKeys(projectId) {
        yield* keysBelow(kv, keys.environments(projectId));
        yield* keysBelow(kv, keys.environmentNames(projectId));
        yield* keysBelow(kv, keys.environmentDeletions(projectId));
      },
      async projectUsage(projectId) {
        const used = await countBelow(kv, keys.environments(projectId), MAX_COUNTED);
        return [{ subject: "environments", of: null, used, limit: null }];
      },
    },
  };
}
