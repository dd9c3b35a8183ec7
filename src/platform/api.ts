/**
 * The HTTP API: every endpoint of the contract bound to its handler.
 *
 * @module
 */
import { endpoints } from "../contract/mod.ts";
import { bindApiKeyRoutes } from "./accounts/api_key_routes.ts";
import { bindOwnAccountRoutes } from "./accounts/own_account_routes.ts";
import { bindAccountRoutes } from "./accounts/routes.ts";
import { bindBuildLogRoutes } from "./build_logs/routes.ts";
import { bindBuildRoutes } from "./builds/build_routes.ts";
import { bindCacheRoutes } from "./cache/routes.ts";
import { bindBlobRoutes } from "./deployments/blob_routes.ts";
import { bindDeploymentRoutes } from "./deployments/routes.ts";
import { bindVariableRoutes } from "./env/routes.ts";
import { bindEnvironmentRoutes } from "./environments/routes.ts";
import { bindDeviceRoutes } from "./device_login/mod.ts";
import { bindDomainRoutes } from "./domains/routes.ts";
import { bindHookRoutes } from "./hooks/routes.ts";
import { bindHealthRoutes } from "./health/routes.ts";
import { Router } from "./http/router.ts";
import { bindLogRoutes } from "./logs/routes.ts";
import { bindUnsubscribe } from "./notifications/channels/email/unsubscribe_routes.tsx";
import { bindMessengerRoutes } from "./notifications/channels/messenger/routes.ts";
import { bindPushRoutes } from "./notifications/channels/push/routes.ts";
import { bindWebhookRoutes } from "./notifications/channels/webhook/routes.ts";
import { bindDeliveryRoutes } from "./notifications/delivery/routes.ts";
import { bindNotificationRoutes } from "./notifications/routes.ts";
import { bindProjectRoutes } from "./projects/routes.ts";
import { bindRulesRoutes } from "./rules/routes.ts";
import type { Services } from "./services.ts";
import { showFailure } from "./web/page_binder.tsx";
import { bindPages } from "./web/routes.ts";
import { bindWorkspaceRoutes } from "./workspaces/routes.ts";

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
