/** Wires up deploy hooks. @module */
import { MAX_HOOKS } from "../../contract/hooks.ts";
import type { AuditLog } from "../audit/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { BuildQueue } from "../builds/mod.ts";
import type { Foundation } from "../core/foundation.ts";
import { ForgeService, type ReportPull } from "./forge_service.ts";
import { HookAudit } from "./hook_audit.ts";
import { HookService } from "./hook_service.ts";
import { HookStore } from "./hook_store.ts";
import { HookUses } from "./hook_uses.ts";
import { PullStore } from "./pull_store.ts";
import { ReplayStore } from "./replays.ts";
import { CommitResolver } from "./commit_resolver.ts";
import { bindInspectRepository } from "./inspect_repository.ts";
import { bindStartBuild } from "./start_build.ts";
import { TriggerService, type TriggerServices } from "./trigger_service.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { readIdempotencyKey, type RequestContext, type Router } from "../core/http/mod.ts";

const visitOf = ({ client, requestId }: Pick<RequestContext<never>, "client" | "requestId">) => ({
  address: client.address,
  requestId,
});

function bindHookRoutes(router: Router, services: {
  readonly hookService: HookService;
  readonly triggers: TriggerService;
  readonly forges: ForgeService;
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

export function createHooks(
  foundation: Foundation,
  parts:
    & Pick<
      TriggerServices,
      | "projects"
      | "deployments"
      | "deploymentService"
      | "builds"
      | "deployCommit"
      | "git"
      | "resolveMs"
    >
    & {
      readonly audit: Pick<AuditLog, "record">;
      readonly reportPull: ReportPull;
      readonly buildQueue: Pick<BuildQueue, "ahead">;
    },
): Capability {
  const { kv, closing, now, onTrouble } = foundation;
  const hooks = new HookStore(kv);
  const uses = new HookUses(kv, onTrouble);
  const pulls = new PullStore(kv, now);
  const replays = new ReplayStore(kv, now);
  const hookService = new HookService({ ...foundation, ...parts, hooks, uses });
  const audit = new HookAudit({ ...parts, now });
  const triggers = new TriggerService({
    ...foundation,
    ...parts,
    hooks,
    uses,
    replays,
    audit,
  });
  const forges = new ForgeService({ ...parts, triggers, replays, pulls, audit });
  return {
    name: "hooks",
    bindRoutes(router) {
      bindHookRoutes(router, { hookService, triggers, forges, closing });
      const commits = new CommitResolver(parts);
      bindStartBuild(router, { ...parts, commits, closing });
      bindInspectRepository(router, { ...parts, commits, closing });
    },
    async removeProject(projectId) {
      await uses.settled();
      await hooks.removeProject(projectId);
      await pulls.removeProject(projectId);
    },
    close: () => uses.settled(),
    async projectUsage(projectId) {
      const used = await hooks.countOf(projectId);
      return [{ subject: "deployHooks", of: null, used, limit: MAX_HOOKS }];
    },
  };
}
