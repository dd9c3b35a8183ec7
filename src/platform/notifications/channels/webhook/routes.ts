/**
 * `/v1/webhooks`.
 *
 * @module
 */
import { endpoints } from "../../../../contract/mod.ts";
import type { Router } from "../../../core/http/mod.ts";
import type { WebhookService } from "./webhook_service.ts";

export function bindWebhookRoutes(router: Router, webhooks: WebhookService): void {
  router.guarded(
    endpoints.createWebhook,
    ({ workspace }, { body }) => webhooks.create(workspace.id, body),
  );
  router.guarded(
    endpoints.listWebhooks,
    ({ workspace }, { query }) => webhooks.list(workspace.id, query),
  );
  router.guarded(
    endpoints.getWebhook,
    ({ workspace }, { params }) => webhooks.show(workspace.id, params.webhook),
  );
  router.guarded(
    endpoints.updateWebhook,
    ({ workspace }, { params, body }) => webhooks.update(workspace.id, params.webhook, body),
  );
  router.guarded(endpoints.deleteWebhook, async ({ workspace }, { params }) => {
    await webhooks.remove(workspace.id, params.webhook);
    return undefined;
  });
  router.guarded(
    endpoints.rotateWebhookSecret,
    ({ workspace }, { params }) => webhooks.rotate(workspace.id, params.webhook),
  );
  router.guarded(
    endpoints.listWebhookDeliveries,
    ({ workspace }, { params, query }) => webhooks.deliveries(workspace.id, params.webhook, query),
  );
  router.guarded(endpoints.redeliverWebhook, async ({ workspace }, { params }) => {
    await webhooks.redeliver(workspace.id, params.webhook, params.delivery);
    return { accepted: true as const };
  });
  router.guarded(
    endpoints.testWebhook,
    ({ workspace }, { params, body }) => webhooks.test(workspace.id, params.webhook, body.event),
  );
}
