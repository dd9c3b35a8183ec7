/** Wires up environment variables. @module */
import { MAX_COUNTED } from "../../contract/usage.ts";
import { MAX_VARIABLES, SCOPE_ALL } from "../../contract/variables.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { countBelow, keys, keysBelow } from "../core/store/mod.ts";
import { type EnvironmentStore, findEnvironmentName } from "../environments/mod.ts";
import { findProject, type ProjectRecord, type ProjectStore } from "../projects/mod.ts";
import { VariableService } from "./variable_service.ts";
import { VariableStore } from "./variable_store.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { type AuditFacts, Failure, type Router } from "../core/http/mod.ts";
import { databasesIn } from "./references.ts";
import { fillSnapshot, ReferenceResolver, type ResolverParts } from "./resolver.ts";
import { type VariableRecord, variableToWire, visibleIn } from "./variable.ts";

interface VariableRouteServices {
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
  readonly variables: VariableStore;
  readonly service: VariableService;
  readonly resolver: ReferenceResolver;
  readonly connectionFor: VariableParts["connectionFor"];
}

/** Returns a variable's sort key, which is also the cursor of a page. */
const placeOf = (variable: VariableRecord): string => `${variable.key}/${variable.scope}`;

function bindVariableRoutes(router: Router, services: VariableRouteServices): void {
  const { projects, environments, variables, service, resolver } = services;

  router.guarded(endpoints.listVariables, async (caller, { params, query }) => {
    const project = await findProject(projects, caller, params.project);
    const all = await variables.list(project.id);
    const shown = query.environment === undefined
      ? all
      : visibleIn(all, await findEnvironmentName(environments, project, query.environment));
    const rest = shown
      .filter((variable) => query.cursor === undefined || placeOf(variable) > query.cursor)
      .sort((a, b) => placeOf(a) < placeOf(b) ? -1 : 1);
    const items = rest.slice(0, query.limit);
    const last = items.at(-1);
    const more = rest.length > items.length && last !== undefined;
    return { items: items.map(variableToWire), nextCursor: more ? placeOf(last) : null };
  });

  /** Returns a variable's scopes and categories for the audit log, for one scope or all scopes. */
  async function known(projectId: string, key: string, scope?: string): Promise<AuditFacts> {
    const found = (await variables.list(projectId)).filter((each) =>
      each.key === key && (scope === undefined || each.scope === scope)
    );
    if (found.length === 0) return {};
    return {
      scope: found.map((each) => each.scope),
      category: [...new Set(found.map(({ category }) => category))],
    };
  }

  const scopeOf = async (project: ProjectRecord, given: string): Promise<string> =>
    given === SCOPE_ALL ? SCOPE_ALL : await findEnvironmentName(environments, project, given);

  router.guarded(endpoints.setVariable, async (caller, { params, body, note }) => {
    const project = await findProject(projects, caller, params.project);
    const scope = await scopeOf(project, body.scope);
    note({ before: await known(project.id, params.key, body.replaceScope ? undefined : scope) });
    await resolver.check(caller, project, { key: params.key, value: body.value });
    await service.refuseCycle(project, {
      key: params.key,
      value: body.value,
      environments: scope === SCOPE_ALL ? await environments.names(project.id) : [scope],
    });
    return variableToWire(await service.set(project.id, { ...body, scope, key: params.key }));
  });

  router.guarded(endpoints.deleteVariable, async (caller, { params, query, note }) => {
    const project = await findProject(projects, caller, params.project);
    const scope = query.scope === undefined ? undefined : await scopeOf(project, query.scope);
    note({ before: await known(project.id, params.key, scope) });
    await service.delete(project.id, params.key, scope);
    return undefined;
  });

  router.guarded(endpoints.exportVariables, async (caller, { params, body }) => {
    const project = await findProject(projects, caller, params.project);
    const environment = await findEnvironmentName(environments, project, body.environment);
    const { branch, self } = body;
    const viewer = {
      project,
      environment,
      branch,
      self: self ?? resolver.urlOf(project, { environment, branch }),
    };
    const { values, unfilled, references, problem } = await service.openFor(viewer);
    if (problem !== undefined) throw new Failure("conflict", problem);
    const connections: Record<string, string> = {};
    for (const name of databasesIn(unfilled.map((each) => values[each] ?? ""))) {
      connections[name] = await services.connectionFor({
        projectId: project.id,
        environment,
        branch,
      }, name);
    }
    return {
      environment,
      variables: fillSnapshot({ values, unfilled }, connections),
      references: [...references],
    };
  });
}

export interface VariableParts extends Pick<ResolverParts, "shownAt" | "databasesOf"> {
  /** Returns the connection string of a project's database for a developer's computer. */
  connectionFor(
    user: {
      readonly projectId: string;
      readonly environment: string;
      readonly branch: string | undefined;
    },
    database: string,
  ): Promise<string>;
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
}

export interface Variables {
  readonly variables: VariableStore;
  readonly variableService: VariableService;
  readonly capability: Capability;
}

export function createVariables(
  { kv, box, now, addresses }: Pick<Foundation, "kv" | "box" | "now" | "addresses">,
  parts: VariableParts,
): Variables {
  const variables = new VariableStore(kv);
  const resolver = new ReferenceResolver({ ...parts, addresses });
  const variableService = new VariableService({
    variables,
    box,
    now,
    resolver,
    projects: parts.projects,
  });
  return {
    variables,
    variableService,
    capability: {
      name: "variables",
      bindRoutes: (router) =>
        bindVariableRoutes(router, { ...parts, variables, resolver, service: variableService }),
      removeEnvironment: ({ projectId, name }) => variables.deleteScope(projectId, name),
      async *projectKeys(projectId) {
        yield* keysBelow(kv, keys.variables(projectId));
        yield* keysBelow(kv, keys.variablesVersions(projectId));
        yield keys.variablesGuard(projectId);
      },
      async projectUsage(projectId) {
        const used = await countBelow(kv, keys.variables(projectId), MAX_COUNTED);
        return [{ subject: "variables", of: null, used, limit: MAX_VARIABLES }];
      },
    },
  };
}
