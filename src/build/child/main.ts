/**
 * @module The process that runs a build for the platform. The process checks out a commit, packs
 * the project, and reports the result on its standard output. It runs in a sandbox together with
 * the project's code, so its memory contains nothing that this code must not see.
 */
import { join } from "node:path";
import { loadProjectConfig } from "../../config/load_project_config.ts";
import type { ProjectConfig } from "../../config/project_config.ts";
import { MIGRATION_MS } from "../../lib/database_previews.ts";
import { BUILD_PROBE } from "../../lib/build_process.ts";
import { renderDiagnostic } from "../../lib/diagnostic.ts";
import { BuildError } from "../build_error.ts";
import { runCheckCommands } from "../run_check_commands.ts";
import { type Pack, packProject } from "../pack_project.ts";
import type { BuildHost, FileFindings } from "../types.ts";
import { buildVariables } from "./build_variables.ts";
import { checkOutAll, projectDirectory } from "./check_out.ts";
import { createEventWriter, type EventWriter } from "./event_writer.ts";
import { provideNode } from "./install_node.ts";
import { decideSkip } from "./decide_skip.ts";
import {
  type BuildJobFile,
  buildJobFile,
  type CheckedEvent,
  type PackedEvent,
  type SkippedEvent,
} from "./wire.ts";

function rendered({ diagnostics, ...source }: FileFindings): string {
  return diagnostics.map((diagnostic) => renderDiagnostic(diagnostic, source)).join("\n");
}

function createHost(
  writer: EventWriter,
  options: {
    readonly directory: string;
    readonly env: BuildHost["env"];
    readonly scratch: string;
    readonly tools: string;
  },
): BuildHost {
  const { directory, env, scratch, tools } = options;
  return {
    say: (_phase, level, message) => writer.send({ type: "say", level, message }),
    warn: (found) => writer.send({ type: "say", level: "warn", message: rendered(found) }),
    output: () => writer.output(),
    showPath: (path) => path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path,
    signal: new AbortController().signal,
    cacheDir: scratch,
    toolsDir: tools,
    env,
  };
}

async function loadConfig(directory: string): Promise<ProjectConfig | undefined> {
  const loaded = await loadProjectConfig(directory);
  if (loaded.status === "missing") return undefined;
  if (loaded.status === "found") return loaded.config;
  const { diagnostics, source } = loaded;
  const found = { file: "svc.toml", diagnostics, source };
  throw new BuildError("build_failed", `Fix svc.toml\n${rendered(found)}`);
}

/** Writes in-memory content to files in the outbox, and returns the event that lists all files. */
async function handOver(pack: Pack, outbox: string): Promise<PackedEvent> {
  await Deno.mkdir(outbox, { recursive: true });
  const place = async (sha256: string, bytes: Uint8Array<ArrayBuffer>) => {
    const path = join(outbox, sha256);
    await Deno.writeFile(path, bytes);
    return path;
  };
  return {
    type: "packed",
    manifest: pack.manifest,
    ...(pack.rules === undefined ? {} : { rules: pack.rules }),
    files: await Promise.all(pack.files.map(async ({ path, content, size, sha256 }) => ({
      path,
      size,
      content: typeof content === "string"
        ? await Deno.realPath(content)
        : await place(sha256, content),
    }))),
    functions: await Promise.all(pack.functions.map(async ({ name, sha256, source }) => ({
      name,
      content: await place(sha256, new Uint8Array(source)),
    }))),
  };
}

/** @throws {BuildError} if a variable that `svc.toml` requires is not set */
function requireVariables(
  config: ProjectConfig | undefined,
  { variables }: Pick<BuildJobFile, "variables">,
): void {
  const missing = [...config?.env.declarations ?? []]
    .filter(([name, { required }]) => required && !Object.hasOwn(variables, name))
    .map(([name]) => name);
  if (missing.length === 0) return;
  throw new BuildError(
    "build_failed",
    `svc.toml requires variables that are not set: ${missing.join(", ")}`,
    { hint: "Set them with `svc env set`, or declare them with required = false" },
  );
}

async function build(
  job: BuildJobFile,
  writer: EventWriter,
): Promise<PackedEvent | SkippedEvent> {
  const given = Deno.env.toObject();
  const scratch = given.TMPDIR ?? "/tmp";
  const plain = buildVariables(given, job, undefined);
  await checkOutAll(job, plain);
  const directory = await projectDirectory(job.repository, job.rootDirectory);
  const config = await loadConfig(directory);
  const places = { directory, scratch, tools: join(job.cache, "tools") };
  const early = createHost(writer, { ...places, env: plain });
  const reason = await decideSkip(early, { directory, job, ignore: config?.build.ignore, scratch });
  if (reason !== undefined) return { type: "skipped", reason };
  requireVariables(config, job);
  const nodeBin = await provideNode(early, {
    directory,
    version: job.nodeVersion,
    cache: job.cache,
  });
  const env = buildVariables(given, job, nodeBin);
  const pack = await packProject(createHost(writer, { ...places, env }), {
    directory,
    config,
    settings: job,
    variables: () => Promise.resolve(job.variables),
  });
  return await handOver(pack, job.outbox);
}

/** Runs the check commands in a checkout that was built before. */
async function check(
  job: BuildJobFile,
  { commands, place }: NonNullable<BuildJobFile["checks"]>,
  writer: EventWriter,
): Promise<CheckedEvent> {
  const given = Deno.env.toObject();
  const directory = await projectDirectory(job.repository, job.rootDirectory);
  const places = {
    directory,
    scratch: given.TMPDIR ?? "/tmp",
    tools: join(job.cache, "tools"),
  };
  const plain = buildVariables(given, job, undefined);
  const nodeBin = await provideNode(createHost(writer, { ...places, env: plain }), {
    directory,
    version: job.nodeVersion,
    cache: job.cache,
  });
  const env = { ...job.variables, ...buildVariables(given, job, nodeBin) };
  const host = createHost(writer, { ...places, env });
  const results = await runCheckCommands(host, {
    commands,
    directory,
    place,
    ...(place === undefined ? { quotes: true, timeMs: MIGRATION_MS } : {}),
    now: () => performance.now(),
  });
  return { type: "checked", results };
}

function explain(error: unknown): string {
  if (!(error instanceof BuildError)) return error instanceof Error ? error.message : String(error);
  const { found, hint } = error.facts;
  const parts = [error.message, found === undefined ? undefined : rendered(found), hint];
  return parts.filter((part) => part !== undefined).join("\n");
}

/** Runs one job and exits. */
export async function runBuildProcess(path: string): Promise<never> {
  const encoder = new TextEncoder();
  const write = (text: string) => {
    const bytes = encoder.encode(text);
    for (let at = 0; at < bytes.byteLength;) at += Deno.stdout.writeSync(bytes.subarray(at));
  };
  if (path === BUILD_PROBE) {
    write(`${BUILD_PROBE}\n`);
    Deno.exit(0);
  }
  const writer = createEventWriter(write);
  try {
    const { refuseInheritedDescriptors } = await import("../../runtime/mod.ts");
    const refused = refuseInheritedDescriptors();
    if (refused !== undefined) throw new BuildError("build_failed", refused);
    const job = buildJobFile.parse(JSON.parse(await Deno.readTextFile(path)));
    // The file is removed before project code runs, because it contains variables that this code
    // must not see.
    await Deno.remove(path).catch(() => {});
    writer.send(
      job.checks === undefined ? await build(job, writer) : await check(job, job.checks, writer),
    );
  } catch (error) {
    writer.send({ type: "failed", reason: explain(error) });
  }
  Deno.exit(0);
}
