/**
 * @module Reads and writes production's rules: reads return their ETag, and writes send it in
 * `If-Match`.
 */
import { ApiError, isForbidden } from "../../client/errors.ts";
import type { Client } from "../../client/client.ts";
import { type ActiveRules, getRules } from "../../contract/rules.ts";
import { messageOf } from "../../lib/error_message.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { formatCount } from "../terminal/format.ts";
import type { Phase } from "../terminal/ui.ts";

/**
 * Suggests the next command if the platform rejected an outdated ETag. Returns other errors
 * unchanged.
 */
export function explainConflict(ctx: Context, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 412) return error;
  return new CliError("conflict", error.message, {
    next: [ctx.lines.ofProject("rules", "list")],
    cause: error,
  });
}

/**
 * Suggests the next command if the platform does not know a revision or rejected an outdated ETag.
 * Returns other errors unchanged.
 */
export function explainRevision(ctx: Context, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 404) return explainConflict(ctx, error);
  return new CliError("not_found", error.message, {
    next: [ctx.lines.ofProject("rules", "revisions")],
    cause: error,
  });
}

/** Returns the command that restores production's previous rules. */
export function undoLine(
  { lines }: Context,
  { origin, revisionId }: Pick<ActiveRules, "origin" | "revisionId">,
): string {
  return origin === "ui" && revisionId !== null
    ? lines.ofProject("rules", "restore", revisionId)
    : lines.ofProject("rules", "remove", "--force");
}

/** Describes production's rules in one line. */
export function describeActive({ origin, ruleSet, revisionId, deploymentId }: ActiveRules): string {
  const rules = formatCount(ruleSet?.rules.length ?? 0, "rule");
  if (origin === "ui") return `Published revision ${revisionId}, ${rules}`;
  if (origin === "build") return `Rules of deployment ${deploymentId}, ${rules}`;
  return "No rules";
}

/** The rules that production uses after a deployment has gone live. */
export type RulesInEffect = Pick<ActiveRules, "origin" | "revisionId">;

/**
 * Finds the rules that production uses, and warns if a published set overrides the rules of the new
 * deployment. Because the deployment is already live, the function never throws: it warns and returns
 * `null` if the rules cannot be read.
 */
export async function reportRulesInEffect(
  ctx: Context,
  client: Client,
  { project, phase }: { readonly project: string; readonly phase: Phase },
): Promise<RulesInEffect | null> {
  try {
    const active = await client.call(getRules, { params: { project } });
    if (active.origin === "ui") {
      ctx.ui.log(
        phase,
        "warn",
        `The rules of this deployment are not active, because production uses published revision ${active.revisionId}. To activate the deployment's rules, run svc rules remove`,
      );
    }
    return { origin: active.origin, revisionId: active.revisionId };
  } catch (error) {
    // Even if the user stops the command now, the command must report that the deployment is live.
    if (ctx.signal.aborted) return null;
    const message = `Could not read the active rules: ${messageOf(error)}`;
    // Keys that can only deploy would otherwise get the warning every time.
    if (isForbidden(error)) ctx.ui.debug(phase, message);
    else ctx.ui.log(phase, "warn", `${message}. To see them, run svc rules list`);
    return null;
  }
}
