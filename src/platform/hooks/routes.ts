/**
 * `/v1/deploy-hooks`, `/v1/hooks/{token}`, `/v1/triggered-deployments`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { readIdempotencyKey, type RequestContext, type Router } from "../core/http/mod.ts";
import type { ForgeService } from "./forge_service.ts";
import type { HookService } from "./hook_service.ts";
import type { TriggerService } from "./trigger_service.ts";

const visitOf = ({ client, requestId }: Pick<RequestContext<never>, "client" | "requestId">) => ({
  address: client.address,
  requestId,
});

export function bindHookRoutes(router: Router, services: {
  readonly hookService: HookService;
  readonly triggers: TriggerService;
  readonly forges: ForgeService;
  /** Aborted when the platform stops. */
  readonly closing: AbortSignal;
}): void {
  const { hookService, triggers, forges, closing } = services;
  const stopped = ({ signal }: Request) => AbortSignal.any([signal, closing]);

  router.guarded(endpoints.createHook, (caller, { body }) => hookService.create(caller, body));
  router.guarded(endpoints.listHooks, (caller, { query }) => hookService.list(caller, query));
  router.guarded(endpoints.getHook, (caller, { params }) => hookService.get(caller, params.hook));
  router.guarded(
    endpoints.updateHook,
    async (caller, { params, body, note }) => {
      note({ before: await hookService.get(caller, params.hook) });
      return await hookService.rename(caller, params.hook, body.name);
    },
  );
  router.guarded(
    endpoints.regenerateHook,
    (caller, { params }) => hookService.regenerate(caller, params.hook),
  );
  router.guarded(endpoints.deleteHook, async (caller, { params, note }) => {
    note({ before: await hookService.get(caller, params.hook) });
    await hookService.remove(caller, params.hook);
    return undefined;
  });

  router.keyed(endpoints.triggerHook, {
    admit: async ({ token }, request) => ({ token, hook: await triggers.admit(token, request) }),
    before: (call, request, visit) =>
      forges.answer({ ...call, visit: visitOf(visit) }, request, stopped(request)),
    answer: ({ hook }, { body, request, ...visit }) =>
      triggers.trigger(hook, {
        body,
        visit: visitOf(visit),
        idempotencyKey: readIdempotencyKey(request),
        signal: stopped(request),
      }),
  });
  router.open(endpoints.getTriggeredDeployment, ({ params }) => triggers.progress(params.ticket));
}
