/** @module The `redirect` action: returns a response that sends the client elsewhere. */
import * as z from "zod";
import { warningAt } from "../finding.ts";
import { flag, integer, MAX_SAFE, text } from "../schema_parts.ts";
import { expandTarget } from "../pattern/target.ts";
import { type ActionDefinition, effectOf } from "./action_definition.ts";
import {
  checkTarget,
  compileTargetOf,
  normalizeTarget,
  queryText,
  type TargetRules,
  withMark,
} from "./target_field.ts";

interface RedirectAction {
  readonly type: "redirect";
  readonly target: string;
  readonly statusCode?: number;
  readonly ifNoFile?: boolean;
}

const DEFAULT_STATUS = 302;

/** Returns true for a status that can redirect a client. */
function isRedirectStatus(statusCode: number): boolean {
  return statusCode >= 300 && statusCode <= 399;
}

/** Returns the status to send. A status outside 300 to 399 becomes 302. */
const servedStatus = (statusCode: number): number =>
  isRedirectStatus(statusCode) ? statusCode : DEFAULT_STATUS;

const TARGET_RULES: TargetRules = { isRelativeAllowed: true, checkKind: () => undefined };

export const redirect: ActionDefinition<RedirectAction, Required<RedirectAction>> = {
  schema: z.strictObject({
    type: z.literal("redirect"),
    target: text().describe("A path that begins with /, or an absolute http(s) URL"),
    statusCode: integer(-MAX_SAFE, MAX_SAFE).optional().describe("Default: 302"),
    ifNoFile: flag().optional().describe("Only if no static file matches the path"),
  }),
  phase: "redirect",
  isClientBound: false,
  templates: ({ target }) => [{ text: target, path: ["target"] }],
  check: ({ target }, { path }) => checkTarget(target, path, TARGET_RULES),
  *warn({ statusCode }, { path }) {
    if (statusCode === undefined || isRedirectStatus(statusCode)) return;
    yield warningAt([...path, "statusCode"], {
      code: "redirect_status",
      message: `Use a redirect status from 300 to 399: it is ${statusCode}, and the edge sends 302`,
      hint: "301 and 308 are permanent, 302 and 307 temporary",
    });
  },
  normalize({ type, target, statusCode = DEFAULT_STATUS, ifNoFile = false }) {
    return {
      type,
      target: normalizeTarget(target),
      statusCode: servedStatus(statusCode),
      ifNoFile,
    };
  },
  endsPhase: () => true,
  closes: () => undefined,
  compile(action, rule) {
    const { ref, captureNames } = rule;
    const target = compileTargetOf(action.target, rule);
    const status = servedStatus(action.statusCode);
    return effectOf((draft) => {
      const { facts } = draft;
      const { origin, path, query, fragment } = expandTarget(target, draft.captures(), facts.path);
      const location = `${origin}${path}${withMark(query ?? queryText(facts.rawQuery))}${fragment}`;
      draft.terminal = { type: "redirect", status, location, rule: ref };
      // Header rules also apply to the redirect itself.
      draft.closeThrough("pipeline");
    }, { ifNoFile: action.ifNoFile, usesCaptures: captureNames.length > 0 });
  },
};
