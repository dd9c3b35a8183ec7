/** @module The `allow` action: skips later security rules. */
import * as z from "zod";
import { type ActionDefinition, effectOf, NO_TEMPLATES } from "./action_definition.ts";

interface AllowAction {
  readonly type: "allow";
}

const EFFECT = effectOf((draft) => draft.closeThrough("security"));

export const allow: ActionDefinition<AllowAction, AllowAction> = {
  schema: z.strictObject({ type: z.literal("allow") }),
  phase: "security",
  isClientBound: false,
  templates: NO_TEMPLATES,
  normalize: ({ type }) => ({ type }),
  endsPhase: () => true,
  closes: () => undefined,
  compile: () => EFFECT,
  whyNoLater: "allows the request and ends the phase",
};
