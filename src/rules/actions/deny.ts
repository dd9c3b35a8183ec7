/** @module The `deny` action: returns an error response and skips later rules. */
import * as z from "zod";
import { type EnforceMode, LAST_PHASE, type Terminal } from "../decision.ts";
import { enforceMode, integer } from "../schema_parts.ts";
import { type ActionDefinition, effectOf, NO_TEMPLATES } from "./action_definition.ts";

interface DenyAction {
  readonly type: "deny";
  readonly statusCode?: number;
  readonly mode?: EnforceMode;
}

const DEFAULT_STATUS = 403;

export const deny: ActionDefinition<DenyAction, Required<DenyAction>> = {
  schema: z.strictObject({
    type: z.literal("deny"),
    statusCode: integer(400, 599).optional(),
    mode: enforceMode().optional(),
  }),
  phase: "security",
  isClientBound: false,
  templates: NO_TEMPLATES,
  normalize({ type, statusCode = DEFAULT_STATUS, mode = "enforce" }) {
    return { type, statusCode, mode };
  },
  endsPhase: ({ mode }) => mode === "enforce",
  closes: ({ mode }) => mode === "enforce" ? "deny" : undefined,
  compile({ statusCode, mode }, { ref }) {
    if (mode === "shadow") return effectOf((draft) => draft.hit("would_deny"));
    const terminal: Terminal = { type: "deny", status: statusCode, rule: ref };
    return effectOf((draft) => {
      draft.hit("deny");
      draft.terminal = terminal;
      draft.closeThrough(LAST_PHASE);
    });
  },
};
