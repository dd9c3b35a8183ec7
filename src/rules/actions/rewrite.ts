/** @module The `rewrite` action: serves another path on the site, or another site. */
import * as z from "zod";
import type { RewriteDecision, RuleRef } from "../decision.ts";
import { mergeQueries } from "../request/query.ts";
import {
  type CompiledTarget,
  expandTarget,
  type ParsedTarget,
  resolvedPath,
} from "../pattern/target.ts";
import { flag, text } from "../schema_parts.ts";
import { type ActionDefinition, effectOf, type Location } from "./action_definition.ts";
import {
  checkTarget,
  compileTargetOf,
  normalizeTarget,
  queryText,
  type TargetProblem,
  withMark,
} from "./target_field.ts";

interface RewriteAction {
  readonly type: "rewrite";
  readonly target: string;
  readonly external?: boolean;
  readonly ifNoFile?: boolean;
}

function checkKind({ kind, scheme }: ParsedTarget, isExternal: boolean): TargetProblem | undefined {
  if (!isExternal) {
    return kind === "relative" ? undefined : {
      code: "target_kind",
      message: `Use a path as the target of an internal rewrite, not an absolute URL`,
      hint: "Set external = true to fetch the response from another host",
    };
  }
  return scheme === "https" ? undefined : {
    code: "target_kind",
    message: `Use an absolute https URL as the target of an external rewrite: it is ${
      kind === "relative" ? "a path" : "an http URL"
    }`,
    ...(kind === "relative" ? { hint: "Remove external to rewrite within the site" } : {}),
  };
}

function rewriteFrom(
  location: Location,
  captures: readonly string[],
  { target, ifNoFile, ref }: {
    readonly target: CompiledTarget;
    readonly ifNoFile: boolean;
    readonly ref: RuleRef;
  },
): RewriteDecision {
  const expanded = expandTarget(target, captures, location.path);
  const query = mergeQueries(expanded.query ?? "", queryText(location.rawQuery));
  return target.origin === ""
    ? {
      type: "internal",
      path: resolvedPath(expanded),
      query,
      ...(ifNoFile ? { ifNoFile } : {}),
      rule: ref,
    }
    : {
      type: "external",
      url: `${expanded.origin}${expanded.path}${withMark(query)}`,
      rule: ref,
    };
}

export const rewrite: ActionDefinition<RewriteAction, Required<RewriteAction>> = {
  schema: z.strictObject({
    type: z.literal("rewrite"),
    target: text().describe("A path that begins with /, or an absolute https URL if external"),
    external: flag().optional(),
    ifNoFile: flag().optional().describe("Only if no static file matches the path"),
  }),
  phase: "rewrite",
  isClientBound: false,
  templates: ({ target }) => [{ text: target, path: ["target"] }],
  check: ({ target, external = false }, { path }) =>
    checkTarget(target, path, {
      isRelativeAllowed: false,
      checkKind: (parsed) => checkKind(parsed, external),
    }),
  normalize({ type, target, external = false, ifNoFile = false }) {
    return { type, target: normalizeTarget(target), external, ifNoFile };
  },
  endsPhase: () => true,
  closes: () => undefined,
  compile(action, rule) {
    const { ref, captureNames } = rule;
    const target = compileTargetOf(action.target, rule);
    if (action.external === (target.origin === "")) {
      throw new TypeError(`Cannot compile rule "${ref.id}": "external" contradicts its target`);
    }
    const compiled = { target, ifNoFile: action.ifNoFile, ref };
    return effectOf((draft) => {
      draft.rewrite = rewriteFrom(draft.facts, draft.captures(), compiled);
      draft.closeThrough("rewrite");
    }, {
      ifNoFile: action.ifNoFile,
      usesCaptures: captureNames.length > 0,
      rewriteFrom: (location, captures) => rewriteFrom(location, captures, compiled),
    });
  },
};
