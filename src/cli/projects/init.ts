import { Option } from "@commander-js/extra-typings";
import { basename, join } from "node:path";
import type { ProjectConfigChanges } from "../../config/edit_project_config.ts";
import { createProject as createProjectEndpoint, type Project } from "../../contract/projects.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { showPath } from "../session/paths.ts";
import {
  type DetectedProject,
  detectProject,
  FRAMEWORKS,
  type ProjectPlan,
} from "../../manifest/mod.ts";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { readTextFile } from "../../lib/utf8.ts";
import { type AgentsFacts, renderAgentsSection, withAgentsSection } from "./agents_section.ts";
import { assertCanBind, writeProjectFile } from "./bind_folder.ts";
import { createProject } from "./create_project.ts";
import { rootDirectoryOf } from "./git_remote.ts";
import { offerImport } from "./offer_import.ts";
import { openProjectFolder, type ProjectFolder } from "./project_folder.ts";
import { checkProjectName, findProject, toProjectName } from "./resolve_project.ts";

interface InitFlags {
  readonly name?: string | undefined;
  readonly skipDetection?: true | undefined;
  readonly framework?: string | undefined;
  readonly create?: true | undefined;
  readonly projectId?: string | undefined;
  readonly agents?: true | undefined;
}

async function nameOf(ctx: Context, folder: ProjectFolder, flags: InitFlags): Promise<string> {
  if (flags.name !== undefined) {
    const problem = checkProjectName(flags.name);
    if (problem === undefined) return flags.name;
    throw new CliError("usage", `Invalid --name "${flags.name}": ${problem}`, {
      next: [ctx.lines.again({ "--name": toProjectName(flags.name) })],
    });
  }
  const initial = folder.config?.project.name ?? toProjectName(basename(folder.directory));
  if (ctx.prompter === undefined || flags.projectId !== undefined) return initial;
  return await ctx.prompter.text({
    message: "Name of the project",
    initial,
    validate: checkProjectName,
  });
}

async function detect(folder: ProjectFolder, flags: InitFlags): Promise<DetectedProject> {
  // Imported on demand, because help and completion do not need the build code.
  const { createFolderReader } = await import("../../build/mod.ts");
  const isStatic = folder.config?.build.isStatic === true;
  return await detectProject(createFolderReader(folder.directory), { ...flags, isStatic });
}

/** Reports what a deploy of the project will do. */
async function foretell(
  ctx: Context,
  { directory, config }: ProjectFolder,
  detected: DetectedProject,
): Promise<ProjectPlan> {
  const { foretellDeploy } = await import("../../build/mod.ts");
  const { plan, lines } = await foretellDeploy({ directory, config, detected });
  for (const { level, message } of lines) ctx.ui.log("detect", level, message);
  return plan;
}

async function projectOf(
  ctx: Context,
  name: string,
  facts: {
    readonly flags: InitFlags;
    readonly detected: DetectedProject | undefined;
    readonly folder: ProjectFolder;
  },
): Promise<Project | undefined> {
  const { flags, detected, folder } = facts;
  if (flags.projectId !== undefined) {
    const project = await findProject(ctx.client({ phase: "init", folder }), flags.projectId);
    if (project !== undefined) return project;
    throw new CliError(
      "not_found",
      `The platform has no project "${flags.projectId}"`,
      {
        next: [
          ctx.lines.of("projects", "list"),
          ctx.lines.again({ "--project-id": undefined, "--name": name, "--create": true }),
        ],
      },
    );
  }
  if (flags.create !== true) return undefined;
  const framework = detected?.framework?.id;
  return await createProject(ctx, ctx.client({ phase: "init", folder }), {
    body: { name, ...knownFramework(framework), ...await placeOf(folder) },
    phase: "init",
    hasNameFlag: true,
  });
}

/** Returns the project's folder in the repository, because builds start there. */
async function placeOf({ directory }: ProjectFolder) {
  const rootDirectory = await rootDirectoryOf(directory);
  return rootDirectory === undefined ? {} : { rootDirectory };
}

/** Returns only frameworks that the API accepts. Other frameworks are not sent. */
function knownFramework(id: string | undefined) {
  const parsed = createProjectEndpoint.body.shape.framework.safeParse(id);
  return parsed.success && parsed.data !== undefined ? { framework: parsed.data } : {};
}

/** Returns the command for `svc dev`, if the file does not set one yet. */
function devChanges(
  folder: ProjectFolder,
  detected: DetectedProject | undefined,
): ProjectConfigChanges["dev"] {
  const { framework, devCommand } = detected ?? {};
  if (framework === undefined || devCommand === undefined) return {};
  return folder.config?.dev.command === undefined ? { command: devCommand } : {};
}

/** Returns the detected settings that are missing from the file. */
async function buildChanges(
  folder: ProjectFolder,
  detected: DetectedProject | undefined,
): Promise<NonNullable<ProjectConfigChanges["build"]>> {
  if (detected === undefined) return {};
  const build = folder.config?.build;
  const { workspaceBuild } = await import("../../build/mod.ts");
  const ofWorkspace = await workspaceBuild(folder.directory, detected);
  if (detected.framework === undefined) {
    return ofWorkspace === undefined || build?.command !== undefined
      ? {}
      : { command: ofWorkspace };
  }
  const buildCommand = ofWorkspace ?? detected.buildCommand;
  // A server that starts in the project folder itself has no output folder.
  const isWhole = detected.server !== undefined && detected.outputDirs[0] === ".";
  const outputDirs = isWhole ? [] : detected.outputDirs;
  return {
    ...(buildCommand === undefined || build?.command !== undefined
      ? {}
      : { command: buildCommand }),
    ...(outputDirs.length === 0 || (build?.outputDirs.length ?? 0) > 0 ? {} : { outputDirs }),
  };
}

function projectChanges(name: string, project: Project | undefined) {
  return project === undefined
    ? { name }
    : { id: project.id, name: project.name, workspace: project.workspace };
}

/** Writes the section for agents, and returns the path of the file. */
async function writeAgentsFile(
  { directory }: ProjectFolder,
  facts: AgentsFacts,
): Promise<string> {
  const path = join(directory, "AGENTS.md");
  // The file can be a link to another program's file.
  const real = await Deno.realPath(path).catch(() => undefined);
  const text = real === undefined ? "" : await readTextFile(real);
  await writeFileAtomically(real ?? path, withAgentsSection(text, renderAgentsSection(facts)));
  return path;
}

export default defineCommand({
  description: "Keeps the comments and settings of an existing svc.toml and adds missing ones.",
  define: (command) =>
    command
      .option("--name <name>", "name of the project (default: the directory's name)")
      .option("--skip-detection", "skip framework detection")
      .addOption(
        new Option("--framework <name>", "framework to use instead of the detected one").choices(
          FRAMEWORKS.map(({ id }) => id),
        ),
      )
      .option("--create", "create the project on the platform")
      .option("--project-id <id>", "link to this existing project")
      .option("--agents", "add a section for agents to AGENTS.md"),
  examples: [
    ["init", "set up this directory"],
    ["init --name blog --create", "also create a project named blog"],
    ["init --project-id blog --json", "link to an existing project"],
    ["init --agents", "also add a section for agents to AGENTS.md"],
  ],
  async run({ flags }, ctx) {
    if (flags.create === true && flags.projectId !== undefined) {
      throw new CliError("usage", "Use either --create or --project-id");
    }
    if (flags.skipDetection === true && flags.framework !== undefined) {
      throw new CliError("usage", "Use either --skip-detection or --framework");
    }
    const folder = await openProjectFolder(ctx, ".");
    const name = await nameOf(ctx, folder, flags);
    const detected = flags.skipDetection === true ? undefined : await detect(folder, flags);
    const framework = detected?.framework;
    const plan = detected === undefined ? undefined : await foretell(ctx, folder, detected);
    await assertCanBind(ctx, folder);
    const project = await projectOf(ctx, name, { flags, detected, folder });
    await writeProjectFile(folder, {
      project: projectChanges(name, project),
      build: await buildChanges(folder, detected),
      dev: devChanges(folder, detected) ?? {},
    });
    const verb = folder.config === undefined ? "Created" : "Updated";
    ctx.ui.done("init", `${verb} ${showPath(folder.configPath, ctx)}`);
    const agents = flags.agents !== true ? undefined : await writeAgentsFile(folder, {
      name: project?.name ?? name,
      buildCommand: folder.config?.build.command ?? detected?.buildCommand,
      devCommand: folder.config?.dev.command ?? detected?.devCommand,
    });
    if (agents !== undefined) ctx.ui.done("init", `Updated ${showPath(agents, ctx)}`);
    await offerImport(ctx, folder);
    const steps = [
      ...(ctx.hasKey ? [] : [ctx.lines.of("login")]),
      ...(project === undefined && folder.config?.project.id === undefined
        ? [ctx.lines.of("projects", "create", "--name", name, "--link")]
        : []),
      ctx.lines.of("deploy"),
    ];
    ctx.ui.note(`Next: ${steps.join(", then ")}`);
    ctx.ui.result({
      config: folder.configPath,
      created: folder.config === undefined,
      name: project?.name ?? name,
      project: project ?? null,
      framework: framework ?? null,
      ...(framework === undefined ? { files: null, server: null } : plan),
      ...(agents === undefined ? {} : { agents }),
    }, "");
  },
});
