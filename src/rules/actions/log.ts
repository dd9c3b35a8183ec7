/** @module The `log` action: only records the rule in the log. */
import * as z from "zod";
import { type ActionDefinition, effectOf, NO_TEMPLATES } from "./action_definition.ts";

interface LogAction {
  readonly type: "log";
}

const EFFECT = effectOf((draft) => draft.hit("log"));

export const log: ActionDefinition<LogAction, LogAction> = {
  schema: z.strictObject({ type: z.literal("log") }),
  phase: "security",
  isClientBound: false,
  templates: NO_TEMPLATES,
  normalize: ({ type }) => ({ type }),
  endsPhase: () => false,
  closes: () => undefined,
  compile: () => EFFECT,
};
