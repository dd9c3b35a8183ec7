/**
 * Composes environment variables.
 *
 * @module
 */
import { MAX_COUNTED } from "../../contract/usage.ts";
import { MAX_VARIABLES } from "../../contract/variables.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { countBelow, keys, keysBelow } from "../core/store/mod.ts";
import type { EnvironmentStore } from "../environments/mod.ts";
import type { ProjectStore } from "../projects/mod.ts";
import { bindVariableRoutes } from "./routes.ts";
import { VariableService } from "./variable_service.ts";
import { VariableStore } from "./variable_store.ts";

export interface Variables {
  readonly variables: VariableStore;
  readonly variableService: VariableService;
  readonly capability: Capability;
}

export function createVariables(
  { kv, box, now }: Pick<Foundation, "kv" | "box" | "now">,
  parts: { readonly projects: ProjectStore; readonly environments: EnvironmentStore },
): Variables {
  const variables = new VariableStore(kv);
  const variableService = new VariableService({ variables, box, now });
  return {
    variables,
    variableService,
    capability: {
      name: "variables",
      bindRoutes: (router) =>
        bindVariableRoutes(router, { ...parts, variables, service: variableService }),
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
