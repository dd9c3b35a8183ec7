/** @module The `bypass_cache` action: responses are neither served from the cache nor stored. */
import * as z from "zod";
import type { CacheDecision } from "../decision.ts";
import { type ActionDefinition, effectOf, NO_TEMPLATES } from "./action_definition.ts";

interface BypassCacheAction {
  readonly type: "bypass_cache";
}

export const bypassCache: ActionDefinition<BypassCacheAction, BypassCacheAction> = {
  schema: z.strictObject({ type: z.literal("bypass_cache") }),
  phase: "cache",
  isClientBound: false,
  templates: NO_TEMPLATES,
  normalize: ({ type }) => ({ type }),
  endsPhase: () => true,
  closes: () => undefined,
  compile(_, { ref }) {
    const decision: CacheDecision = { type: "bypass", rule: ref };
    return effectOf((draft) => {
      draft.cache = decision;
      draft.closeThrough("cache");
    });
  },
};
