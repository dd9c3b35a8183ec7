/**
 * @module Finds the project that a command works on, from the flag, the project file, or by asking
 * the user.
 */
import { basename } from "node:path";
import { ApiError } from "../../client/errors.ts";
import type { Client } from "../../client/client.ts";
import { getProject, type Project } from "../../contract/projects.ts";
import { projectName } from "../../contract/common.ts";
import { CliError, declined } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import type { Phase } from "../terminal/ui.ts";
import { isUuid } from "../../lib/ids.ts";
import { nearest } from "../../lib/suggest.ts";
import { assertCanBind } from "./bind_folder.ts";
import { createProject, listNewestProjects } from "./create_project.ts";
import { openProjectFolder, type ProjectFolder } from "./project_folder.ts";

/** The flag that selects the project for a command. */
export const PROJECT_OPTION = ["--project-id <id>", "ID or name of the project"] as const;

/** Maximum number of projects to list in an error. */
const MAX_LISTED = 5;

export interface ProjectFacts {
  readonly folder: ProjectFolder;
  /** Value of `--project-id`: an ID or a name. */
  readonly given: string | undefined;
  readonly phase: Phase;
  /** True to fail instead of creating a project or asking for one. */
  readonly mustExist?: boolean;
  /** True to link the folder to the project that the user chooses or creates. */
  readonly binds?: boolean;
}

export interface ResolvedProject {
  readonly project: Project;
  readonly client: Client;
  /** True if the user chose the project. The project should then be saved in `svc.toml`. */
  readonly chosen: boolean;
}

/** Turns any text, such as a folder's name, into a project name. */
export function toProjectName(text: string): string {
  const name = text.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40).replace(/^-+|-+$/g, "");
  return name === "" ? "site" : name;
}

/** Returns the problem with a project name, if any. */
export function checkProjectName(name: string): string | undefined {
  return projectName.safeParse(name).error?.issues[0]?.message;
}

/** Reads a project. Returns `undefined` if the platform has none with that ID or name. */
export async function findProject(client: Client, project: string): Promise<Project | undefined> {
  try {
    return await client.call(getProject, { params: { project } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Asks the user to choose an existing project or create one. */
export async function chooseProject(
  ctx: Context,
  client: Client,
  suggestedName: string,
): Promise<Project> {
  const prompter = ctx.prompter;
  if (prompter === undefined) throw new TypeError("Choose a project only if there is a prompter");
  const items = await listNewestProjects(client);
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

function createNamed(ctx: Context, client: Client, name: string): Promise<Project> {
  return createProject(ctx, client, { body: { name }, phase: "projects", hasNameFlag: false });
}

/**
 * Returns a hint that names the existing projects, or the one with a similar name. The hint
 * contains no command line, because a command could change a project that the user did not name.
 */
export async function hintAtProjects(
  client: Client,
  wrong: string | undefined,
): Promise<string> {
  const names = (await listNewestProjects(client)).map(({ name }) => name);
  const near = wrong === undefined ? undefined : nearest(wrong, names);
  if (near !== undefined) return `Did you mean ${near}? Use it with --project-id`;
  if (names.length === 0) {
    return "The workspace has no projects. Choose another one with --workspace";
  }
  const more = names.length > MAX_LISTED ? ", …" : "";
  return `Choose a project with --project-id: ${names.slice(0, MAX_LISTED).join(", ")}${more}`;
}

/**
 * Returns the command that creates a project for a folder, and that can be run in the current
 * folder.
 */
export function createLine(ctx: Context, { directory }: ProjectFolder, name: string): string {
  const there = directory === ctx.cwd ? [] : ["--cwd", directory];
  return ctx.lines.of("projects", "create", "--name", name, "--link", ...there);
}

async function unknownProject(
  ctx: Context,
  client: Client,
  { reference, facts: { folder, given } }: {
    readonly reference: string;
    readonly facts: ProjectFacts;
  },
): Promise<CliError> {
  const place = given === undefined ? " (from project.id in svc.toml)" : "";
  const message = `The platform has no project "${reference}"${place}`;
  const newName = given !== undefined && !isUuid(given)
    ? given
    : folder.config?.project.name ?? basename(folder.directory);
  return new CliError("not_found", message, {
    hint: await hintAtProjects(client, given),
    next: [
      ctx.lines.of("projects", "list"),
      ctx.lines.of("workspace", "list"),
      createLine(ctx, folder, toProjectName(newName)),
    ],
  });
}

async function settleMissing(
  ctx: Context,
  client: Client,
  facts: ProjectFacts,
): Promise<Project> {
  const { folder } = facts;
  const named = folder.config?.project.name;
  const name = named ?? toProjectName(basename(folder.directory));
  if (facts.binds === true) await assertCanBind(ctx, folder);
  if (ctx.prompter === undefined || facts.mustExist === true) {
    const message = named === undefined
      ? "This folder is not linked to a project"
      : `The platform has no project "${named}" yet`;
    throw new CliError("action_required", message, {
      hint: await hintAtProjects(client, named),
      next: [ctx.lines.of("projects", "list"), createLine(ctx, folder, name)],
    });
  }
  if (named === undefined) return await chooseProject(ctx, client, name);
  const create = await ctx.prompter.confirm({
    message: `The platform has no project "${named}". Create it?`,
    initial: true,
  });
  if (!create) throw declined("Nothing changed: the project does not exist");
  return await createNamed(ctx, client, named);
}

/**
 * Finds the project: `--project-id`, then `project.id`, then `project.name` from `svc.toml`. If
 * none of them is set, asks the user. Without a terminal, throws an error that names commands to
 * run.
 */
export async function resolveProject(ctx: Context, facts: ProjectFacts): Promise<ResolvedProject> {
  const configured = facts.folder.config?.project;
  const client = ctx.client({ phase: facts.phase, folder: facts.folder });
  const reference = facts.given ?? configured?.id;
  if (reference !== undefined) {
    const project = await findProject(client, reference);
    if (project === undefined) throw await unknownProject(ctx, client, { reference, facts });
    return { project, client, chosen: false };
  }
  const named = configured?.name;
  const project = named === undefined ? undefined : await findProject(client, named);
  if (project !== undefined) return { project, client, chosen: false };
  return { project: await settleMissing(ctx, client, facts), client, chosen: true };
}

/** Returns the current folder and its project, or the project that `--project-id` names. */
export async function openProject(
  ctx: Context,
  { given, phase }: Pick<ProjectFacts, "given" | "phase">,
): Promise<ResolvedProject & { readonly folder: ProjectFolder }> {
  const folder = await openProjectFolder(ctx);
  return { folder, ...await resolveProject(ctx, { folder, given, phase }) };
}
