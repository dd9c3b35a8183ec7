/** @module Chooses an environment from the flag, `SVC_ENVIRONMENT` or the checkout's context. */
import type { Client } from "../../client/client.ts";
import { collectPages } from "../../client/collect_pages.ts";
import {
  type CheckoutContext,
  CONTEXT_PATH,
  ContextFileError,
  loadContext,
} from "../../config/context.ts";
import {
  type Environment,
  listEnvironments as listEnvironmentsEndpoint,
} from "../../contract/environments.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import type { Project } from "../../contract/projects.ts";
import { CliError } from "../errors/cli_error.ts";
import type { ProjectFolder } from "../projects/project_folder.ts";
import type { Context } from "../session/context.ts";
import type { Phase } from "../terminal/ui.ts";
import { printable } from "../terminal/format.ts";
import { nearest } from "../../lib/suggest.ts";

/** Maximum number of environments to search. */
const MAX_LISTED = 1000;

type EnvironmentSource = "flag" | "variable" | "context" | "answer";

const SOURCE_NAMES: Readonly<Record<Exclude<EnvironmentSource, "answer">, string>> = {
  flag: "--environment",
  variable: "SVC_ENVIRONMENT",
  context: CONTEXT_PATH,
};

/** The name of an environment, and where the name comes from. */
interface EnvironmentReference {
  readonly reference: string;
  /** Name of the source in messages. */
  readonly name: string;
  readonly source: Exclude<EnvironmentSource, "answer">;
}

interface ChosenEnvironment {
  readonly environment: Environment;
  readonly source: EnvironmentSource;
}

export interface EnvironmentFacts {
  /** Value of `--environment`. */
  readonly given: string | undefined;
  readonly folder: ProjectFolder;
  readonly project: Project;
  readonly client: Client;
  readonly phase: Phase;
}

/**
 * Reads the context of a checkout, or returns `undefined` if it has none. If the file is invalid,
 * the error explains why.
 */
export async function readContext(
  ctx: Pick<Context, "lines">,
  root: string,
): Promise<CheckoutContext | undefined> {
  try {
    return await loadContext(root);
  } catch (cause) {
    if (!(cause instanceof ContextFileError)) throw cause;
    throw new CliError("context_invalid", cause.message, {
      next: [ctx.lines.of("context", "clear")],
      cause,
    });
  }
}

/** Reads `SVC_ENVIRONMENT`. An empty value counts as not set. */
export function environmentVariable(ctx: Pick<Context, "env">): string | undefined {
  const value = ctx.env.SVC_ENVIRONMENT;
  return value === "" ? undefined : value;
}

/** Finds the name of the environment and its source. Returns `undefined` if no source names one. */
async function findReference(
  ctx: Context,
  { given, folder, project, phase }: EnvironmentFacts,
): Promise<EnvironmentReference | undefined> {
  if (given !== undefined) return { reference: given, name: given, source: "flag" };
  const variable = environmentVariable(ctx);
  if (variable !== undefined) {
    return { reference: variable, name: variable, source: "variable" };
  }
  const context = await readContext(ctx, folder.directory);
  if (context === undefined) return undefined;
  if (context.projectId !== project.id) {
    ctx.ui.log(
      phase,
      "warn",
      `Ignoring ${CONTEXT_PATH}: it does not belong to project ${project.name}`,
    );
    return undefined;
  }
  const { id, name } = context.environment;
  return { reference: id, name, source: "context" };
}

/** Lists all environments of a project, the built-in ones first. */
export async function listEnvironments(client: Client, project: Project): Promise<Environment[]> {
  const { items } = await collectPages(
    (query) => client.call(listEnvironmentsEndpoint, { params: { project: project.id }, query }),
    { limit: MAX_LISTED, pageSize: PAGE_LIMIT_MAX },
  );
  return items;
}

function findEnvironment(
  environments: readonly Environment[],
  reference: string,
): Environment | undefined {
  return environments.find(({ id, name }) => name === reference || id === reference);
}

/**
 * Creates the error for an unknown name, with a list of existing environments. The message names
 * the source of the name, unless it is the command line.
 */
function unknownEnvironment(
  { lines }: Context,
  { environments, reference, project, from }: {
    readonly environments: readonly Environment[];
    readonly reference: string;
    readonly project: Project;
    /** The source of the name. */
    readonly from: "argument" | EnvironmentReference["source"];
  },
): CliError {
  const names = environments.map(({ name }) => name);
  const near = nearest(reference, names);
  const where = from === "argument" || from === "flag" ? "" : ` (from ${SOURCE_NAMES[from]})`;
  const list = lines.ofProject("environments", "list");
  return new CliError(
    "not_found",
    `Project ${project.name} has no environment "${printable(reference)}"${where}`,
    {
      hint: near === undefined ? `Available: ${names.join(", ")}` : `Did you mean ${near}?`,
      next: from === "context" ? [lines.of("context", "clear"), list] : [list],
    },
  );
}

/**
 * Returns the environment with the given name or ID. Throws `not_found` with a list of existing
 * environments.
 */
export function pickEnvironment(
  ctx: Context,
  named: {
    readonly environments: readonly Environment[];
    readonly reference: string;
    readonly project: Project;
    readonly from: "argument" | "flag";
  },
): Environment {
  const found = findEnvironment(named.environments, named.reference);
  if (found === undefined) throw unknownEnvironment(ctx, named);
  return found;
}

/**
 * Returns the environment named by the flag, the variable or the context, after checking that it
 * exists on the platform. Reports the environment and the source of its name on stderr. Returns
 * `undefined` if no environment is named.
 */
export async function chooseEnvironment(
  ctx: Context,
  facts: EnvironmentFacts,
): Promise<ChosenEnvironment | undefined> {
  const named = await findReference(ctx, facts);
  if (named === undefined) return undefined;
  const { source, reference } = named;
  const { client, project, phase } = facts;
  const from = SOURCE_NAMES[source];
  const environments = await listEnvironments(client, project);
  const environment = findEnvironment(environments, reference);
  if (environment === undefined) {
    throw unknownEnvironment(ctx, {
      environments,
      reference: named.name,
      project,
      from: source,
    });
  }
  ctx.ui.log(phase, "info", `Environment ${environment.name} (from ${from})`);
  return { environment, source };
}

/**
 * Creates the error to throw if the user cannot be asked for an environment. `ways` lists the flags
 * that set an environment.
 */
export function environmentRequired(ctx: Context, message: string, ways: string): CliError {
  return new CliError("action_required", message, {
    hint: `Use ${ways}, or choose one for this folder with \`svc context use\``,
    next: [ctx.lines.ofProject("environments", "list")],
  });
}

/** Like {@link chooseEnvironment}, but asks the user if none is named. */
export async function requireEnvironment(
  ctx: Context,
  facts: EnvironmentFacts,
): Promise<ChosenEnvironment> {
  const chosen = await chooseEnvironment(ctx, facts);
  if (chosen !== undefined) return chosen;
  if (ctx.prompter === undefined) {
    throw environmentRequired(
      ctx,
      "No environment chosen",
      "--environment <name>",
    );
  }
  const environment = await ctx.prompter.select({
    message: "Which environment?",
    choices: (await listEnvironments(facts.client, facts.project))
      .map((value) => ({ value, label: value.name })),
  });
  return { environment, source: "answer" };
}
