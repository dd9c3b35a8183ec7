/**
 * Which project of the platform a command is about: the flag, the project
 * file, or a person's answer.
 *
 * @module
 */
import { basename } from "node:path";
import { ApiError, type Client, collectPages } from "../client/mod.ts";
import { endpoints, PAGE_LIMIT_MAX, type Project, projectName } from "../contract/mod.ts";
import { isUuid } from "../lib/ids.ts";
import { actionRequired, CliError, declined } from "./cli_error.ts";
import type { Context } from "./context.ts";
import { assertCanBind } from "./local_checks.ts";
import type { ProjectFolder } from "./project_folder.ts";
import type { Phase } from "./ui.ts";

/** Most projects that are offered to choose from. */
const MAX_OFFERED = 200;

export interface ProjectFacts {
  readonly folder: ProjectFolder;
  /** Value of `--project-id`: an id or a name. */
  readonly given: string | undefined;
  readonly phase: Phase;
  /** True where the folder is bound to a project that a person chooses or makes. */
  readonly binds?: boolean;
  /** The command line to show in suggestions, such as `svc deploy`. */
  readonly command: string;
}

export interface ResolvedProject {
  readonly project: Project;
  readonly client: Client;
  /** True where a person chose it, so that `svc.toml` should remember it. */
  readonly chosen: boolean;
}

/** Makes a project name of any text, such as a folder's name. */
export function toProjectName(text: string): string {
  const name = text.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40).replace(/^-+|-+$/g, "");
  return name === "" ? "site" : name;
}

/** Says what is wrong with a project name, or nothing. */
export function checkProjectName(name: string): string | undefined {
  return projectName.safeParse(name).error?.issues[0]?.message;
}

/** Reads a project; `undefined` where the platform has none of this id or name. */
export async function findProject(client: Client, project: string): Promise<Project | undefined> {
  try {
    return await client.call(endpoints.getProject, { params: { project } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Asks a person to take an existing project or to make one. */
export async function chooseProject(
  ctx: Context,
  client: Client,
  suggestedName: string,
): Promise<Project> {
  const prompter = ctx.prompter;
  if (prompter === undefined) throw new TypeError("Choose a project only where a person is there");
  const { items } = await collectPages(
    (query) => client.call(endpoints.listProjects, { query }),
    { limit: MAX_OFFERED, pageSize: PAGE_LIMIT_MAX },
  );
  const existing = items.length === 0 ? undefined : await prompter.select<Project | undefined>({
    message: "Which project?",
    choices: [
      { value: undefined, label: "Create a new project" },
      ...items.map((project) => ({ value: project, label: project.name, hint: project.url })),
    ],
  });
  if (existing !== undefined) return existing;
  const name = await prompter.text({
    message: "Name of the new project",
    initial: suggestedName,
    validate: checkProjectName,
  });
  return await createNamed(ctx, client, name);
}

async function createNamed(ctx: Context, client: Client, name: string): Promise<Project> {
  const project = await client.call(endpoints.createProject, { body: { name } });
  ctx.ui.done("projects", `Created project ${project.name}`);
  return project;
}

function unknownProject(reference: string, { folder, command, given }: ProjectFacts): CliError {
  const place = given === undefined ? "; svc.toml names it in project.id" : "";
  const message = `Name an existing project: the platform has no "${reference}"${place}`;
  const newName = given !== undefined && !isUuid(given)
    ? given
    : folder.config?.project.name ?? basename(folder.directory);
  return new CliError("not_found", message, {
    next: [
      "svc projects list",
      `svc projects create --name ${toProjectName(newName)} --link`,
      `${command} --project-id <id>`,
    ],
  });
}

async function settleMissing(
  ctx: Context,
  client: Client,
  facts: ProjectFacts,
): Promise<Project> {
  const { folder, command } = facts;
  const named = folder.config?.project.name;
  const name = named ?? toProjectName(basename(folder.directory));
  if (facts.binds === true) await assertCanBind(ctx, folder);
  if (ctx.prompter === undefined) {
    const message = named === undefined
      ? "Name the project: this folder is not linked to one"
      : `Create the project first: the platform has no "${named}"`;
    throw actionRequired(message, [
      `svc projects create --name ${name} --link`,
      "svc link --project-id <id>",
      `${command} --project-id <id>`,
    ]);
  }
  if (named === undefined) return await chooseProject(ctx, client, name);
  const create = await ctx.prompter.confirm({
    message: `The platform has no project "${named}". Create it?`,
    initial: true,
  });
  if (!create) throw declined("Nothing done: the project does not exist");
  return await createNamed(ctx, client, named);
}

/**
 * Finds the project: `--project-id`, then `project.id`, then `project.name` of
 * `svc.toml`. Where none of them says it, a person is asked; without one the
 * error names the commands that settle it.
 */
export async function resolveProject(ctx: Context, facts: ProjectFacts): Promise<ResolvedProject> {
  const configured = facts.folder.config?.project;
  const client = ctx.client({ phase: facts.phase, workspace: configured?.workspace });
  const reference = facts.given ?? configured?.id;
  if (reference !== undefined) {
    const project = await findProject(client, reference);
    if (project === undefined) throw unknownProject(reference, facts);
    return { project, client, chosen: false };
  }
  const named = configured?.name;
  const project = named === undefined ? undefined : await findProject(client, named);
  if (project !== undefined) return { project, client, chosen: false };
  return { project: await settleMissing(ctx, client, facts), client, chosen: true };
}
