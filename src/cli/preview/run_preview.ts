/** @module Runs a preview: a separate platform that serves one project. */
import { basename, join } from "node:path";
import { type Pack, packProject, RULES_FILE } from "../../build/mod.ts";
import { type Client, createClient } from "../../client/client.ts";
import { setVariable } from "../../contract/variables.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { createProject, type Project } from "../../contract/projects.ts";
import { createBuildHost, explainBuild } from "../deploy/build_host.ts";
import { sendDeployment } from "../deploy/send_deployment.ts";
import { fillSelf } from "../env/fetch_variables.ts";
import { type LocalVariables, readLocalVariables } from "../env/local_variables.ts";
import { openOnPort } from "../foreground/open_on_port.ts";
import { untilStopped } from "../foreground/until_stopped.ts";
import type { ProjectFolder } from "../projects/project_folder.ts";
import { warnOfPlatform } from "../rules/platform_facts.ts";
import type { Context } from "../session/context.ts";
import { showPath } from "../session/paths.ts";
import { formatCount } from "../terminal/format.ts";
import { makeHeldFolder } from "../../lib/held_folders.ts";
import { startPlatform } from "../../serve/mod.ts";
import type { PlatformOptions, RunningPlatform } from "../../serve/mod.ts";
import { VERSION } from "../version.ts";

interface PreviewOptions {
  readonly port: number;
  /** True if the next free port can be used instead. */
  readonly mayMove: boolean;
  readonly build?: true | undefined;
  readonly environment?: string | undefined;
  readonly allowUnsandboxedServers?: true | undefined;
  /** The current folder, or `undefined` if the user named a folder. */
  readonly standing: string | undefined;
}

const HOST = "127.0.0.1";
/** Name of the only project, which is served at every hostname. */
const PROJECT_NAME = "preview";

async function packOutput(
  ctx: Context,
  folder: ProjectFolder,
  { options, variables }: { readonly options: PreviewOptions; readonly variables: LocalVariables },
): Promise<Pack> {
  const pack = await explainBuild(
    ctx,
    packProject(createBuildHost(ctx), {
      directory: folder.directory,
      standing: options.standing,
      config: folder.config,
      skipBuild: options.build !== true,
      cachedAt: { root: folder.directory, now: ctx.now },
      variables: () =>
        Promise.resolve(fillSelf(variables.variables, `http://localhost:${options.port}`)),
    }),
  );
  if (pack.rules !== undefined) await warnOfPlatform(ctx, join(pack.home, RULES_FILE));
  return pack;
}

/** Sets the variables for the project's code as secrets on this platform only. */
async function setVariables(
  client: Client,
  project: Project,
  variables: LocalVariables["variables"],
): Promise<void> {
  for (const [key, value] of Object.entries(variables)) {
    await client.call(setVariable, {
      params: { project: project.id, key },
      // References are already resolved, so anything that still looks like a reference is text.
      body: {
        value: value.replaceAll("${{", "$${{"),
        category: "secret",
        scope: ENVIRONMENT_PRODUCTION,
      },
    });
  }
}

/** Deploys the project to the platform of the preview. */
async function deployTo(
  ctx: Context,
  platform: RunningPlatform,
  parts: { readonly pack: Pack; readonly variables: LocalVariables; readonly root: string },
): Promise<void> {
  const { pack, variables, root } = parts;
  const { manifest, rules } = pack;
  const access = {
    baseUrl: `http://${HOST}:${platform.port}`,
    token: platform.token,
  };
  const client = createClient({ ...access, signal: ctx.signal });
  const project = await client.call(createProject, { body: { name: PROJECT_NAME } });
  await setVariables(
    client,
    project,
    fillSelf(variables.variables, `http://localhost:${platform.port}`),
  );
  const { deployment } = await sendDeployment(ctx, {
    client,
    project,
    root,
    cleanupClient: createClient(access),
    files: pack.files,
    functions: pack.functions,
    body: {
      branch: "main",
      environment: ENVIRONMENT_PRODUCTION,
      manifest,
      rules,
    },
  });
  platform.showOnly(new URL(deployment.urls.production).hostname);
}

function platformOptions(
  ctx: Context,
  { dataDir, port, allowUnsandboxedServers }: {
    readonly dataDir: string;
    readonly port: number;
    readonly allowUnsandboxedServers?: true | undefined;
  },
): PlatformOptions {
  return {
    host: HOST,
    port,
    dataDir,
    edges: 0,
    servers: { allowUnsandboxed: allowUnsandboxedServers === true },
    env: ctx.env,
    version: VERSION,
    log: ({ level, message }) => ctx.ui.log("deploy", level, message),
  };
}

/** Serves the output until the user stops it. */
export async function runPreview(
  ctx: Context,
  folder: ProjectFolder,
  options: PreviewOptions,
): Promise<void> {
  const variables = await readLocalVariables(ctx, folder, options.environment);
  const pack = await packOutput(ctx, folder, { options, variables });
  await using root = await makeHeldFolder("preview");
  const dataDir = join(root.path, "data");
  const platform = await openOnPort(
    ctx,
    options,
    (port) => startPlatform(platformOptions(ctx, { ...options, dataDir, port })),
  );
  try {
    await deployTo(ctx, platform, { pack, variables, root: root.path });
    announce(ctx, platform, { folder, pack, variables });
    const stopped = untilStopped(ctx);
    await Promise.race([stopped.promise, platform.finished]).finally(stopped.release);
  } finally {
    ctx.ui.log("deploy", "info", "Stopping: finishing the requests in progress");
    await platform.shutdown();
  }
}

function announce(
  ctx: Context,
  { port }: RunningPlatform,
  { folder, pack, variables }: {
    readonly folder: ProjectFolder;
    readonly pack: Pack;
    readonly variables: LocalVariables;
  },
): void {
  const url = `http://localhost:${port}`;
  const shown = basename(folder.directory);
  const where = showPath(pack.output, ctx) || ".";
  ctx.ui.done("deploy", `Preview of ${shown} ready at ${ctx.ui.colors.bold(url)}`);
  const parts = [
    `${formatCount(pack.files.length, "file")} from ${where}`,
    ...(pack.rules === undefined ? [] : [formatCount(pack.rules.rules.length, "rule")]),
    ...(pack.functions.length === 0 ? [] : [formatCount(pack.functions.length, "function")]),
    ...(variables.environment === undefined ? [] : [`variables of ${variables.environment}`]),
  ];
  ctx.ui.note(`  ${parts.join(", ")}`);
  ctx.ui.note(ctx.ui.colors.dim("Press Ctrl-C to stop"));
  ctx.ui.result({
    url,
    port,
    files: pack.files.length,
    functions: pack.functions.map(({ name }) => name),
    environment: variables.environment ?? null,
  }, url);
}
