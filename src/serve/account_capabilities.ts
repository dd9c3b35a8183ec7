/**
 * What accounts and workspaces take part in.
 *
 * @module
 */
import type { AccountServices } from "../platform/accounts/account_services.ts";
import { bindApiKeyRoutes } from "../platform/accounts/api_key_routes.ts";
import { bindDeviceRoutes } from "../platform/accounts/device_login/mod.ts";
import { bindOwnAccountRoutes } from "../platform/accounts/own_account_routes.ts";
import { bindAccountRoutes } from "../platform/accounts/routes.ts";
import type { Capability } from "../platform/core/capability.ts";
import { bindWorkspaceRoutes } from "../platform/workspaces/routes.ts";

export function accountCapabilities(services: AccountServices): readonly Capability[] {
  return [
    {
      name: "accounts",
      bindRoutes(router) {
        bindAccountRoutes(router, services);
        bindOwnAccountRoutes(router, services);
        bindApiKeyRoutes(router, services);
        bindDeviceRoutes(router, { ...services, service: services.deviceLogin });
      },
      close: () => services.useNotes.close(),
    },
    {
      name: "workspaces",
      bindRoutes: (router) => bindWorkspaceRoutes(router, services.workspaces),
    },
  ];
}
