/** `/v1/api-keys` and the workspace's `/v1/security-events`. @module */
import { endpoints } from "../../../contract/endpoints.ts";
import type { Router } from "../../core/http/mod.ts";
import type { ApiKeyService } from "./api_key_service.ts";
import type { SecurityLog } from "../security_events.ts";

export function bindApiKeyRoutes(router: Router, services: {
  readonly apiKeys: ApiKeyService;
  readonly securityLog: SecurityLog;
}): void {
  const { apiKeys, securityLog } = services;

  router.guarded(
    endpoints.createApiKey,
    (caller, { body, client }) => apiKeys.create(caller, body, client),
  );
  router.guarded(endpoints.listApiKeys, (caller, { query }) => apiKeys.list(caller, query));
  router.guarded(
    endpoints.updateApiKey,
    async (caller, { params, body, client, note }) => {
      const { before, after } = await apiKeys.update(caller, params.key, body, client);
      note({ before });
      return after;
    },
  );
  router.guarded(endpoints.revokeApiKey, async (caller, { params, client, note }) => {
    note({ before: await apiKeys.revoke(caller, params.key, client) });
    return undefined;
  });
  router.guarded(
    endpoints.listSecurityEvents,
    (caller, { query }) => securityLog.ofWorkspace(caller.workspace.id, query),
  );
}
