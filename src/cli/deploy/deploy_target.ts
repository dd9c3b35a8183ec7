/**
 * @module Chooses the environment of a deploy, and checks that it has the variables that the
 * project declares.
 */
import type { Client } from "../../client/client.ts";
import { ENVIRONMENT_PREVIEW, ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import type { Project } from "../../contract/projects.ts";
import { findMissing, missingVariables } from "../env/missing_variables.ts";
import { listVariables } from "../env/project_variables.ts";
import {
  environmentVariable,
  listEnvironments,
  pickEnvironment,
  readContext,
} from "../environments/choose_environment.ts";
import { CliError } from "../errors/cli_error.ts";
import type { ProjectFolder } from "../projects/project_folder.ts";
import type { Context } from "../session/context.ts";
import { formatCount, printable } from "../terminal/format.ts";

export interface DeployTargetFlags {
  readonly prod?: true | undefined;
  readonly environment?: string | undefined;
}

/** The environment to deploy to. */
export interface DeployTarget {
  readonly name: string;
  /** URL of a custom environment, or null for a built-in environment. */
  readonly url: string | null;
}

interface DeployTargetFacts {
  readonly client: Client;
  readonly project: Project;
  readonly folder: ProjectFolder;
}

/** Rejects flags that name two environments. */
export function checkDeployTargetFlags(flags: DeployTargetFlags): void {
  if (flags.prod === true && flags.environment !== undefined) {
    throw new CliError("usage", "Use either --prod or --environment");
  }
}

/**
 * Chooses preview, unless `--prod` or `--environment` is given. `SVC_ENVIRONMENT` and the context
 * are ignored here, because they could name production. If they name a different environment, the
 * user is warned.
 */
export async function chooseDeployTarget(
  ctx: Context,
  flags: DeployTargetFlags,
  { client, project, folder }: DeployTargetFacts,
): Promise<DeployTarget> {
  if (flags.prod === true) return { name: ENVIRONMENT_PRODUCTION, url: null };
  if (flags.environment !== undefined) {
    const environments = await listEnvironments(client, project);
    const { name, url, isBuiltIn } = pickEnvironment(ctx, {
      environments,
      reference: flags.environment,
      project,
      from: "flag",
    });
    ctx.ui.log("deploy", "info", `Environment ${name} (from --environment)`);
    return { name, url: isBuiltIn ? null : url };
  }
  const named = environmentVariable(ctx) ??
    (await readContext(ctx, folder.directory).catch(() => undefined))?.environment.name;
  if (named !== undefined && named !== ENVIRONMENT_PREVIEW) {
    ctx.ui.log(
      "deploy",
      "warn",
      `Deploying to preview; to deploy to ${printable(named)}, pass --environment`,
    );
  }
  return { name: ENVIRONMENT_PREVIEW, url: null };
}

/**
 * Throws `variables_missing`, which names the missing variables and says how to set them. Must be
 * called before anything is built or uploaded.
 */
export async function checkDeclarations(
  ctx: Context,
  environment: string,
  { client, project, folder }: DeployTargetFacts,
): Promise<void> {
  const declarations = folder.config?.env.declarations ?? new Map();
  if (declarations.size === 0) return;
  const missing = findMissing(declarations, await listVariables(client, project, environment), {
    lines: ctx.lines,
    environments: [environment],
    projectId: folder.config?.project.id === undefined ? project.id : undefined,
  });
  if (missing.length > 0) {
    throw missingVariables(missing, [ctx.lines.again({ "--skip-env-check": true })]);
  }
  const count = formatCount(declarations.size, "declared variable");
  ctx.ui.debug("env", `Checked ${count} of ${environment}`);
}
