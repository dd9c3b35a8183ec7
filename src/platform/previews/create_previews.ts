/**
 * Composes protected previews.
 *
 * @module
 */
import type { AccountParts } from "../accounts/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { keys } from "../core/store/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import type { ProjectStore } from "../projects/mod.ts";
import type { AccessTable } from "./access_table.ts";
import { PreviewService } from "./preview_service.ts";
import { PreviewSignIn } from "./preview_sign_in.ts";
import { bindPreviewRoutes } from "./routes.ts";

export interface Previews {
  /** Lets members in at protected hosts, for the edge and for the pages. */
  readonly signIn: PreviewSignIn;
  readonly capability: Capability;
}

export function createPreviews(foundation: Foundation, { table, projects, deployments, accounts }: {
  readonly table: AccessTable;
  readonly projects: ProjectStore;
  readonly deployments: DeploymentStore;
  readonly accounts: AccountParts;
}): Previews {
  const { passwords } = accounts;
  const service = new PreviewService({ ...foundation, table, passwords });
  return {
    signIn: new PreviewSignIn(accounts),
    capability: {
      name: "previews",
      bindRoutes: (router) => bindPreviewRoutes(router, { projects, deployments, service }),
      async storeChanged(changed) {
        for (const [family, projectId] of changed) {
          if (family === "preview_access") await table.refresh(String(projectId));
        }
      },
      rereadStore: () => table.refreshAll(),
      forgetProject(projectId) {
        table.forget(projectId);
        return Promise.resolve();
      },
      async *projectKeys(projectId) {
        yield await Promise.resolve(keys.previewAccess(projectId));
      },
    },
  };
}
