/**
 * Inputs for a build process: its environment, and its job, which includes the project's variables.
 * @module
 */
import { join } from "node:path";
import type { BuildJobFile } from "../../../build/mod.ts";
import type { CommandResult } from "../../../contract/release_checks.ts";
import { BUILD_MARK } from "../../../lib/build_process.ts";
import type { SecretMasker } from "../../../lib/mask_secrets.ts";
import type { ExportedParts } from "../../git/mod.ts";
import type { ProjectRecord } from "../../projects/mod.ts";
import { type BuildProgram, programVariables } from "../sandbox/program.ts";
import { hasOwnRoot, type SandboxKind } from "../sandbox/sandbox.ts";
import type { BuildJob } from "../types.ts";
import { plainText } from "../logs/build_log_text.ts";
import type { BuildFolder } from "./build_folder.ts";

/** Folders of programs that a build sees in every kind of sandbox. */
const SYSTEM_FOLDERS = ["/usr/", "/bin", "/sbin", "/opt/", "/nix/"];

/**
 * Returns the content of the file with a build's commit and settings. All paths in the file are
 * those that the build sees.
 */
export function jobFile(
  folder: BuildFolder,
  { job, parts, project, variables, since }: {
    readonly job: BuildJob;
    readonly parts: ExportedParts;
    readonly since: BuildJobFile["since"];
    readonly project: ProjectRecord;
    readonly variables: Record<string, string>;
  },
): BuildJobFile {
  const { rootDirectory, framework, installCommand, buildCommand, outputDirectory, nodeVersion } =
    project;
  return {
    repository: join(folder.inside.box, "repo"),
    commitSha: job.commitSha,
    submodules: [...parts.submodules],
    largeFiles: parts.largeFiles.map(({ path, object }) => ({ path, object })),
    rootDirectory,
    framework,
    installCommand,
    buildCommand,
    outputDirectory,
    nodeVersion,
    variables,
    since,
    cache: folder.inside.cache,
    outbox: join(folder.inside.box, "outbox"),
  };
}

/**
 * Returns the environment for a build process, which passes this environment on to project
 * commands.
 */
export function buildEnvironment(
  folder: BuildFolder,
  { job, kind, program, path, toolchains, mark }: {
    readonly job: BuildJob;
    readonly kind: SandboxKind;
    readonly program: BuildProgram;
    readonly path: string;
    /** Additional toolchain folders that the build sees. */
    readonly toolchains: readonly string[];
    readonly mark: string;
  },
): Record<string, string> {
  const folders = path.split(":");
  const seen = hasOwnRoot(kind)
    ? folders.filter((each) => SYSTEM_FOLDERS.some((system) => each.startsWith(system)))
    : folders;
  return {
    ...programVariables(program, { ownRoot: hasOwnRoot(kind) }),
    PATH: [...toolchains, ...seen, "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    HOME: join(folder.inside.box, "home"),
    TMPDIR: folder.inside.temporary,
    LANG: "C.UTF-8",
    [BUILD_MARK]: mark,
    SVC_DEPLOYMENT_ID: job.deploymentId,
    SVC_BRANCH: job.branch,
    SVC_COMMIT_SHA: job.commitSha,
    SVC_ENVIRONMENT: job.environment,
  };
}

/** Masks secrets in the problems that commands report, because these problems may quote output. */
export function maskResults(
  results: readonly CommandResult[],
  masker: SecretMasker,
): readonly CommandResult[] {
  const masked = (text: string | null) => text && plainText(masker.mask(text));
  return results.map((each) => ({ ...each, problem: masked(each.problem) }));
}
