/**
 * The HTTP API, with every endpoint of the contract bound to its handler, and the pages. @module
 */
import { endpoints } from "../contract/endpoints.ts";
import type { Foundation } from "../platform/core/foundation.ts";
import { Idempotency, Router } from "../platform/core/http/mod.ts";
import type { ClientLookup } from "../web/mod.ts";
import type { Platform } from "./platform.ts";

export interface ApiOptions {
  readonly version: string;
  /** Base URL in the OpenAPI document. */
  readonly url: string;
  /** Returns whether the edge can currently find the network of an IP address. */
  knowsNetworks(): boolean;
  /** Returns whether the edge can currently find the country of an IP address. */
  knowsCountries(): boolean;
  /** Returns what the edge can tell about a client from its IP address and its `User-Agent`. */
  clientFacts: ClientLookup["clientFacts"];
  requestId(): string;
  /** Called for each internal failure of the platform. */
  onFault(requestId: string, cause: unknown): void;
}

/** Loads the code of the pages, which only people need. */
const loadPages = () => import("../web/mod.ts");

/** Loads the code of the pages, and binds their routes. */
async function bindWeb(
  router: Router,
  platform: Platform,
  foundation: Foundation,
  options: ApiOptions,
): Promise<void> {
  const { bindPages, bindUnsubscribe } = await loadPages();
  const { accounts, workspaces, notifications, deployments } = platform;
  const { previewSignIn, answerBlobs } = platform;
  const pageParts = {
    ...{ ...accounts, workspaces, ...notifications },
    ...{ deployments, previewSignIn, answerBlobs },
  };
  const { now } = foundation;
  const { clientFacts } = options;
  bindPages(router, { ...foundation, ...pageParts, clientFacts }, { ...options, now });
  bindUnsubscribe(router, {
    unsubscribeKey: notifications.unsubscribeKey,
    unsubscribe: async ({ userId, category }) => {
      const account = { userId, workspaceId: null };
      await notifications.preferences.setCategory(account, {
        category,
        channels: { email: false },
      });
    },
  });
}

/** Builds the API from the capabilities. The pages are added when someone first opens one. */
export function buildApi(platform: Platform, foundation: Foundation, options: ApiOptions): Router {
  const { capabilities, accounts } = platform;
  const router = new Router({
    gatekeeper: accounts.authenticator,
    idempotency: new Idempotency(foundation),
    requestId: options.requestId,
    onFault: options.onFault,
    onCompleted: platform.recordCall,
    showFailure: async (failure, requestId) => (await loadPages()).showFailure(failure, requestId),
  });
  const { version } = options;
  router.open(endpoints.getHealth, async () => {
    const parts = await Promise.all(capabilities.map((each) => each.health?.()));
    const knows = {
      knowsNetworks: options.knowsNetworks(),
      knowsCountries: options.knowsCountries(),
    };
    return endpoints.getHealth.response.parse(
      Object.assign({ status: "ok", version, ...knows }, ...parts),
    );
  });
  router.open(endpoints.getOpenApi, async () => {
    const { openApiDocument } = await import("../contract/openapi.ts");
    return { ...openApiDocument({ version, serverUrl: options.url }) };
  });
  for (const each of capabilities) each.bindRoutes?.(router);
  router.seal(() => bindWeb(router, platform, foundation, options));
  return router;
}
