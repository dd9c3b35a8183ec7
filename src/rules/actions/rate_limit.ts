/** @module The `rate_limit` action: requests beyond the limit get a 429. */
import * as z from "zod";
import { type EnforceMode, LAST_PHASE, type RateLimitAction } from "../decision.ts";
import { choice, enforceMode, flag, integer } from "../schema_parts.ts";
import { RATE_LIMIT_KEYS, type RateLimitKey } from "../vocabulary.ts";
import { type ActionDefinition, effectOf, NO_TEMPLATES } from "./action_definition.ts";

interface RawRateLimitAction {
  readonly type: "rate_limit";
  readonly limit: number;
  readonly windowSeconds: number;
  readonly key?: RateLimitKey;
  readonly mode?: EnforceMode;
  readonly local?: boolean;
}

export const rateLimit: ActionDefinition<RawRateLimitAction, RateLimitAction> = {
  schema: z.strictObject({
    type: z.literal("rate_limit"),
    limit: integer(1, 100_000),
    windowSeconds: integer(10, 600),
    key: choice(RATE_LIMIT_KEYS).optional(),
    mode: enforceMode().optional(),
    local: flag().optional(),
  }),
  phase: "security",
  /** True because each request changes its client's count. */
  isClientBound: true,
  templates: NO_TEMPLATES,
  normalize({ type, limit, windowSeconds, key = "ip", mode = "enforce", local = false }) {
    return { type, limit, windowSeconds, key, mode, ...(local ? { local } : {}) };
  },
  endsPhase: () => false,
  closes: () => undefined,
  compile(action, { ref }) {
    return effectOf((draft) => {
      if (!draft.hooks.rateLimited(ref, action)) return;
      if (action.mode === "shadow") return draft.hit("would_rate_limit");
      draft.hit("rate_limit");
      draft.terminal = { type: "rate_limited", action, rule: ref };
      draft.closeThrough(LAST_PHASE);
    });
  },
  explain({ limit, windowSeconds, key, mode, local }) {
    const shadow = mode === "shadow" ? ", in shadow mode" : "";
    const where = local === true ? " at each edge" : "";
    return `Counts toward ${limit} requests in ${windowSeconds} seconds by ${key}${where}${shadow}`;
  },
};
