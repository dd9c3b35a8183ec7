/**
 * The rules that production uses, as the `rules` commands change them: read
 * with their ETag, written with `If-Match`, so that no writer overwrites another.
 *
 * @module
 */
import { ApiError } from "../client/mod.ts";
import type { ActiveRules } from "../contract/mod.ts";
import { CliError } from "./cli_error.ts";
import type { Context } from "./context.ts";
import { openProjectFolder } from "./project_folder.ts";
import { type ResolvedProject, resolveProject } from "./resolve_project.ts";

/** The project that a `rules` command is about. */
export async function projectOfRules(
  ctx: Context,
  given: string | undefined,
  command: string,
): Promise<ResolvedProject> {
  const folder = await openProjectFolder(ctx);
  return await resolveProject(ctx, { folder, given, phase: "deploy", command });
}

/** Turns the platform's refusal of an outdated ETag into words. */
export function explainConflict(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 412) return error;
  return new CliError("conflict", "Look at the rules again: somebody changed them meanwhile", {
    next: ["svc rules list"],
    cause: error,
  });
}

/** One line about what production uses. */
export function describeActive({ origin, ruleSet, revisionId, deploymentId }: ActiveRules): string {
  const count = ruleSet?.rules.length ?? 0;
  if (origin === "ui") return `Published revision ${revisionId}, ${count} rules`;
  if (origin === "build") return `Rules of deployment ${deploymentId}, ${count} rules`;
  return "No rules";
}
