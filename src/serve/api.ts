/**
 * The HTTP API: every endpoint of the contract bound to its handler.
 *
 * @module
 */
import { endpoints } from "../contract/mod.ts";
import { bindApiKeyRoutes } from "../platform/accounts/api_key_routes.ts";
import { bindOwnAccountRoutes } from "../platform/accounts/own_account_routes.ts";
import { bindAccountRoutes } from "../platform/accounts/routes.ts";
import { bindBuildLogRoutes } from "../platform/builds/logs/routes.ts";
import { bindBuildRoutes } from "../platform/builds/build_routes.ts";
import { bindCacheRoutes } from "../platform/cache/routes.ts";
import { bindBlobRoutes } from "../platform/deployments/blob_routes.ts";
import { bindDeploymentRoutes } from "../platform/deployments/routes.ts";
import { bindVariableRoutes } from "../platform/variables/routes.ts";
import { bindEnvironmentRoutes } from "../platform/environments/routes.ts";
import { bindDeviceRoutes } from "../platform/accounts/device_login/mod.ts";
import { bindDomainRoutes } from "../platform/domains/routes.ts";
import { bindHookRoutes } from "../platform/hooks/routes.ts";
import { bindHealthRoutes } from "../platform/health/routes.ts";
import { Router } from "../platform/core/http/router.ts";
import { bindLogRoutes } from "../platform/logs/routes.ts";
import { bindMessengerRoutes } from "../platform/notifications/channels/messenger/routes.ts";
import { bindPushRoutes } from "../platform/notifications/channels/push/routes.ts";
import { bindWebhookRoutes } from "../platform/notifications/channels/webhook/routes.ts";
import { bindDeliveryRoutes } from "../platform/notifications/delivery/routes.ts";
import { bindNotificationRoutes } from "../platform/notifications/routes.ts";
import { bindProjectRoutes } from "../platform/projects/routes.ts";
import { bindRulesRoutes } from "../platform/rules/routes.ts";
import type { Services } from "./services.ts";
import { bindPages, bindUnsubscribe, showFailure } from "../web/mod.ts";
import { bindWorkspaceRoutes } from "../platform/workspaces/routes.ts";

export interface ApiOptions {
  readonly version: string;
  /** Base address, as the OpenAPI document names it. */
  readonly url: string;
  readonly closing: AbortSignal;
  /** Whether the edge can find the network of an address. */
  readonly knowsNetworks: boolean;
  requestId(): string;
  /** Told of each failure that is the platform's own. */
  onFault(requestId: string, cause: unknown): void;
}

/** Builds the API over open services. */
export function buildApi(services: Services, options: ApiOptions): Router {
  const router = new Router({
    gatekeeper: services.authenticator,
    idempotency: services.idempotency,
    requestId: options.requestId,
    onFault: options.onFault,
    showFailure,
  });
  router.open(endpoints.getHealth, () => ({
    status: "ok" as const,
    version: options.version,
    knowsNetworks: options.knowsNetworks,
    servers: services.computeService.describe(),
    functions: services.functionService.describe(),
  }));
  router.open(endpoints.getOpenApi, async () => {
    const { openApiDocument } = await import("../contract/openapi.ts");
    return { ...openApiDocument({ version: options.version, serverUrl: options.url }) };
  });
  bindPages(router, services, options);
  bindAccountRoutes(router, services);
  bindOwnAccountRoutes(router, services);
  bindApiKeyRoutes(router, services);
  bindWorkspaceRoutes(router, services.workspaces);
  bindDeviceRoutes(router, { ...services, service: services.deviceLogin });
  bindProjectRoutes(router, services);
  bindBlobRoutes(router, services);
  bindDeploymentRoutes(router, {
    ...services,
    service: services.deploymentService,
    seal: services.functionService.seal,
  });
  bindBuildRoutes(router, services);
  bindBuildLogRoutes(router, { ...services, closing: options.closing });
  bindHookRoutes(router, { ...services, closing: options.closing });
  bindEnvironmentRoutes(router, services);
  bindVariableRoutes(router, { ...services, service: services.variableService });
  bindDomainRoutes(router, services);
  bindCacheRoutes(router, services);
  bindHealthRoutes(router, services);
  bindLogRoutes(router, { ...services, closing: options.closing });
  bindNotificationRoutes(router, { ...services, closing: options.closing });
  bindRulesRoutes(router, { ...services, service: services.rulesService });
  bindDeliveryRoutes(router, services);
  bindUnsubscribe(router, {
    unsubscribeKey: services.unsubscribeKey,
    unsubscribe: async ({ userId, category }) => {
      const account = { userId, workspaceId: null };
      await services.preferences.setCategory(account, { category, channels: { email: false } });
    },
  });
  bindWebhookRoutes(router, services.webhooks);
  bindPushRoutes(router, services);
  bindMessengerRoutes(router, services);
  router.seal();
  return router;
}
