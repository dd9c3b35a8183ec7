/** @module Chooses an environment: the flag, `SVC_ENVIRONMENT`, the checkout's context. */
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

/** Maximum number of environments that are looked through. */
const MAX_LISTED = 1000;

export type EnvironmentSource = "flag" | "variable" | "context" | "answer";

const SOURCE_NAMES: Readonly<Record<Exclude<EnvironmentSource, "answer">, string>> = {
  flag: "--environment",
  variable: "SVC_ENVIRONMENT",
  context: CONTEXT_PATH,
};

/** A named environment, and the source of the name. */
interface EnvironmentReference {
  readonly reference: string;
  /** Its name in messages. */
  readonly name: string;
  readonly source: Exclude<EnvironmentSource, "answer">;
}

export interface ChosenEnvironment {
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

/** The context of a checkout, `undefined` if it has none; explains a broken file. */
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

/** `SVC_ENVIRONMENT`; an empty value counts as not set. */
export function environmentVariable(ctx: Pick<Context, "env">): string | undefined {
  const value = ctx.env.SVC_ENVIRONMENT;
  return value === "" ? undefined : value;
}

/** Finds the source of the environment; `undefined` if there is none. */
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

/** All environments of a project, the built-in ones first. */
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
 * Lists the existing environments after a wrong name; `from` is its source, if not the command
 * line.
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

/** The environment with this name or id; throws `not_found` with the existing ones. */
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
 * The environment from the flag, variable or context, verified with the platform; reports it and
 * its source on stderr. `undefined` if none is set.
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
 * The error if the user cannot be asked for an environment; `ways` lists the flags that set one.
 */
export function environmentRequired(ctx: Context, message: string, ways: string): CliError {
  return new CliError("action_required", message, {
    hint: `Use ${ways}, or choose one for this folder with \`svc context use\``,
    next: [ctx.lines.ofProject("environments", "list")],
  });
}

/** Like {@link chooseEnvironment}, but asks a person if none is named. */
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
