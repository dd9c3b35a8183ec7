/** @module The variables of the chosen environment, for a program that can also run offline. */
import { UnreachableError } from "../../client/errors.ts";
import { getHealth } from "../../contract/system.ts";
import { chooseEnvironment } from "../environments/choose_environment.ts";
import { actionRequired, CliError } from "../errors/cli_error.ts";
import { findProject } from "../projects/resolve_project.ts";
import type { ProjectFolder } from "../projects/project_folder.ts";
import type { Context } from "../session/context.ts";
import { readGitFacts } from "../projects/git_facts.ts";
import { fetchVariables } from "./fetch_variables.ts";

/**
 * The variables, and the name of their environment. The name is missing if there are no variables.
 * `fillSelf()` fills in the URL of the program that runs with them.
 */
export interface LocalVariables {
  readonly environment?: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Whether the platform was reachable. */
  readonly reached: boolean;
}

const NONE: LocalVariables = { variables: {}, reached: false };

/**
 * Returns whether the platform responds. Makes a single attempt, so that the program starts
 * immediately even without a network.
 */
async function isReachable(ctx: Context, folder: ProjectFolder): Promise<boolean> {
  const { method, path } = getHealth;
  try {
    const client = ctx.client({ phase: "env", folder });
    const response = await client.fetchRaw({ method, path });
    await response.body?.cancel();
    return true;
  } catch (error) {
    if (error instanceof UnreachableError) return false;
    throw error;
  }
}

async function readVariables(
  ctx: Context,
  folder: ProjectFolder,
  { project: reference, given }: { readonly project: string; readonly given: string | undefined },
): Promise<LocalVariables> {
  const skip = (reason: string): LocalVariables => {
    ctx.ui.log("env", "warn", `Running without the platform's variables: ${reason}`);
    return NONE;
  };
  if (!await isReachable(ctx, folder)) return skip(`${ctx.apiUrl} cannot be reached`);
  const client = ctx.client({ phase: "env", folder });
  const project = await findProject(client, reference);
  if (project === undefined) return skip(`the platform has no project ${reference}`);
  const facts = { given, folder, project, client, phase: "env" } as const;
  const chosen = await chooseEnvironment(ctx, facts);
  if (chosen === undefined) {
    skip("no environment is chosen. Use --environment or svc context use");
    return { variables: {}, reached: true };
  }
  const environment = chosen.environment.name;
  const { branch } = await readGitFacts(folder.directory, ctx.env);
  const of = { project: project.id, environment, branch, hasUrl: true };
  const variables = await fetchVariables(ctx, client, of);
  return { environment, variables, reached: true };
}

/**
 * Reads the variables of the environment selected by the flag, `SVC_ENVIRONMENT` or the checkout's
 * context. A project that is not linked has no variables. If the platform is unreachable or the
 * user is not logged in, prints a warning and returns no variables.
 *
 * @throws {CliError} if the named environment does not exist
 */
export async function readLocalVariables(
  ctx: Context,
  folder: ProjectFolder,
  given: string | undefined,
): Promise<LocalVariables> {
  const project = folder.config?.project.id;
  if (project === undefined) {
    if (given === undefined) return NONE;
    const next = [ctx.lines.of("link")];
    throw actionRequired("--environment needs a linked project: run svc link", next);
  }
  try {
    return await readVariables(ctx, folder, { project, given });
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== "unauthorized") throw error;
    ctx.ui.log("env", "warn", `Running without the platform's variables: ${error.message}`);
    return NONE;
  }
}
