/** `/v1/webhooks`. @module */
import { endpoints } from "../../../../contract/endpoints.ts";
import type { AuditFacts, Router } from "../../../core/http/mod.ts";
import type { WebhookService } from "./webhook_service.ts";

/**
 * Returns the fields for the audit log. They contain only the URL's host, because the rest can be
 * secret.
 */
const factsOf = ({ url, ...rest }: { readonly url: string }): AuditFacts => ({
  ...rest,
  host: new URL(url).host,
});

export function bindWebhookRoutes(router: Router, webhooks: WebhookService): void {
  router.guarded(
    endpoints.createWebhook,
    async ({ workspace }, { body, note }) => {
      note({ after: factsOf(body) });
      return await webhooks.create(workspace.id, body);
    },
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
    async ({ workspace }, { params, body, note }) => {
      const before = await webhooks.show(workspace.id, params.webhook);
      const after = await webhooks.update(workspace.id, params.webhook, body);
      note({ before: factsOf(before), after: factsOf(after) });
      return after;
    },
  );
  router.guarded(endpoints.deleteWebhook, async ({ workspace }, { params, note }) => {
    note({ before: factsOf(await webhooks.show(workspace.id, params.webhook)) });
    await webhooks.remove(workspace.id, params.webhook);
    return undefined;
  });
  router.guarded(
    endpoints.rotateWebhookSecret,
    async ({ workspace }, { params, note }) => {
      const rotated = await webhooks.rotate(workspace.id, params.webhook);
      note({ after: { host: factsOf(rotated).host } });
      return rotated;
    },
  );
  router.guarded(
    endpoints.listWebhookDeliveries,
    ({ workspace }, { params, query }) => webhooks.deliveries(workspace.id, params.webhook, query),
  );
  router.guarded(endpoints.redeliverWebhook, async ({ workspace }, { params, note }) => {
    note({ before: { host: factsOf(await webhooks.show(workspace.id, params.webhook)).host } });
    await webhooks.redeliver(workspace.id, params.webhook, params.delivery);
    return { accepted: true as const };
  });
  router.guarded(
    endpoints.testWebhook,
    async ({ workspace }, { params, body, note }) => {
      note({ before: { host: factsOf(await webhooks.show(workspace.id, params.webhook)).host } });
      return await webhooks.test(workspace.id, params.webhook, body.event);
    },
  );
}
