/** Runs each build in a fresh checkout, in the best sandbox that this machine offers. @module */
import { join } from "node:path";
import type { BuildJobFile } from "../../../build/mod.ts";
import { BUILD_MARK } from "../../../lib/build_process.ts";
import { formatBytes, formatCount } from "../../../lib/format.ts";
import type { CommandResult } from "../../../contract/release_checks.ts";
import { sha256Hex } from "../../../lib/hash.ts";
import type { SecretMasker } from "../../../lib/mask_secrets.ts";
import type { BuildLogs, BuildLogWriter } from "../logs/build_logs.ts";
import { plainText } from "../logs/build_log_text.ts";
import { DatabaseNotReadyError } from "../../deployments/mod.ts";
import { maskerFor, ReferencesError, type VariableStore } from "../../variables/mod.ts";
import { type ExportedParts, GitFault, type GitMirrors } from "../../git/mod.ts";
import type { ProjectRecord, ProjectStore } from "../../projects/mod.ts";
import type { BlobVault } from "../../core/store/mod.ts";
import type { BuildJob, BuildOutcome, BuildRunner, UseBuilt } from "../types.ts";
import {
  type BuildFolder,
  giveToUser,
  makeBuildFolder,
  removeBuildFolder,
} from "./build_folder.ts";
import type { BuildSettings } from "../build_settings.ts";
import {
  ownPlaces,
  preparePlaces,
  realPlaces,
  sharedPlaces,
  withRealPath,
} from "./build_places.ts";
import type { BuildLimits } from "../sandbox/build_limits.ts";
import { type BuildSlot, BuildSlots } from "./build_slots.ts";
import { collectOutput, OutputRefused } from "./collect_output.ts";
import { buildEnvironment, jobFile, maskResults } from "./build_input.ts";
import { type BuildDatabases, openBuildVariables } from "./build_databases.ts";
import { StillRunningError } from "../sandbox/end_processes.ts";
import { killMarked } from "../../../lib/marked_processes.ts";
import type { BuildProgram } from "../sandbox/program.ts";
import type { SandboxAccess } from "../sandbox/sandbox_access.ts";
import type { toolchainPlaces } from "../../../toolchains/toolchain_places.ts";
import { recoverBuilds } from "./recover_builds.ts";
import { runSandboxed, type SandboxedEnd } from "./run_sandboxed.ts";
import { findSandbox, SandboxUndecidedError } from "../sandbox/find_sandbox.ts";
import {
  hasOwnRoot,
  hasOwnUser,
  type SandboxKind,
  type SandboxOptions,
} from "../sandbox/sandbox.ts";
import { folderSize } from "../../../lib/folder_size.ts";

interface SandboxedRunnerOptions {
  readonly projects: ProjectStore;
  readonly variables: VariableStore;
  readonly databases: BuildDatabases;
  readonly git: GitMirrors;
  readonly logs: BuildLogs;
  readonly vault: BlobVault;
  readonly dataDir: string;
  readonly settings: BuildSettings;
  readonly program: BuildProgram;
  readonly path: string;
  /** Finds the toolchains that builds can see outside the system folders. */
  readonly toolchains: () => ReturnType<typeof toolchainPlaces>;
  onTrouble(message: string): void;
}

/**
 * The user for other programs, as an offset from the first build user. Builds never run as this
 * user.
 */
const TOOL_USER = 99;

const REFUSED =
  "Builds from git are turned off, because this platform cannot sandbox them. The operator can run it as root, allow user namespaces, or use --allow-unsandboxed-builds";

const STILL_RUNNING =
  "A process of this build could not be stopped, so its output was discarded. See the platform's log";

/** The failure that is reported if a build process reports checks instead of a build. */
const UNASKED = "The build process reported checks that were not requested";

interface FolderBuild {
  readonly job: BuildJob;
  readonly parts: ExportedParts;
  readonly since: BuildJobFile["since"];
  readonly project: ProjectRecord;
  readonly kind: SandboxKind;
  readonly slot: BuildSlot;
  readonly variables: Record<string, string>;
  readonly masker: SecretMasker;
  readonly log: BuildLogWriter;
  readonly signal: AbortSignal;
}

/** Logs what was fetched in addition to the repository. */
function reportParts(log: BuildLogWriter, { submodules, largeFiles }: ExportedParts): void {
  for (const { path, commitSha } of submodules) {
    log.add("info", `Fetched submodule ${plainText(path)} (${commitSha.slice(0, 7)})`);
  }
  if (largeFiles.length === 0) return;
  const bytes = largeFiles.reduce((sum, { size }) => sum + size, 0);
  const count = formatCount(largeFiles.length, "Git LFS file");
  log.add("info", `Fetched ${count} (${formatBytes(bytes)})`);
}

export class SandboxedRunner implements BuildRunner {
  readonly #slots: BuildSlots;
  readonly #limits: BuildLimits;
  readonly #mark: string;
  readonly #hidden: readonly string[];
  #kind: Promise<SandboxKind | undefined> | undefined;

  readonly #options: SandboxedRunnerOptions;

  constructor(options: SandboxedRunnerOptions) {
    this.#options = options;
    this.#slots = new BuildSlots(this.#firstUid);
    this.#limits = options.settings.limits;
    this.#mark = sha256Hex(options.dataDir).slice(0, 16);
    this.#hidden = [options.dataDir, ...options.settings.hidden].flatMap(withRealPath);
  }

  get #firstUid(): number {
    return this.#options.settings.firstUid;
  }

  /**
   * Finds the sandbox. Until a sandbox works, each call tries again, so the platform does not need
   * a restart if the machine was busy.
   *
   * @throws {SandboxUndecidedError}
   */
  sandbox(): Promise<SandboxKind | undefined> {
    const again = () => this.#kind = undefined;
    return this.#kind ??= this.#findKind().then((kind) => kind ?? again(), (error) => {
      again();
      throw error;
    });
  }

  /**
   * Returns the sandbox for other programs, or `undefined` if its users cannot enter the data
   * directory.
   *
   * @throws {SandboxUndecidedError}
   */
  async access(): Promise<SandboxAccess | undefined> {
    const kind = await this.sandbox();
    if (kind === undefined || kind === "user") return undefined;
    const { dataDir, program } = this.#options;
    const { builds: folder } = await preparePlaces(kind, { dataDir, mark: this.#mark });
    return {
      options: { kind, program, hidden: this.#hidden },
      uid: this.#firstUid + TOOL_USER,
      folder,
      env: { [BUILD_MARK]: this.#mark, PATH: this.#options.path },
    };
  }

  /** Cleans up after a crash. Call this before the first build. */
  async recover(): Promise<void> {
    const { dataDir, onTrouble } = this.#options;
    await recoverBuilds({ dataDir, mark: this.#mark, firstUid: this.#firstUid, onTrouble });
  }

  async run(job: BuildJob, signal: AbortSignal, use?: UseBuilt): Promise<BuildOutcome> {
    const log = await this.#options.logs.open(job);
    try {
      const outcome = await this.#build(job, { log, signal, use });
      if (outcome.type === "failed") {
        for (const line of outcome.reason.split("\n")) log.add("error", line);
      } else if (outcome.type === "skipped") log.add("info", outcome.reason);
      else if (outcome.type === "cancelled") log.add("warn", "Stopped");
      return outcome;
    } catch (error) {
      if (signal.aborted) return { type: "cancelled" };
      log.add("error", "The platform failed. See its log");
      throw error;
    } finally {
      await log.end().catch((error) =>
        this.#options.onTrouble(`Cannot write the log of build ${job.deploymentId}: ${error}`)
      );
    }
  }

  async removeLeftovers(build: { readonly projectId: string; readonly deploymentId: string }) {
    await this.#options.logs.remove(build);
  }

  async forgetProject(projectId: string): Promise<void> {
    this.#slots.forget(projectId);
    await this.#options.logs.removeProject(projectId);
    for (const { caches } of [ownPlaces(this.#options.dataDir), sharedPlaces(this.#mark)]) {
      await removeBuildFolder(join(caches, projectId));
    }
  }

  async #findKind(): Promise<SandboxKind | undefined> {
    const { program, dataDir, settings } = this.#options;
    const { builds } = await preparePlaces("open", { dataDir, mark: this.#mark });
    const kind = await findSandbox({
      folder: builds,
      program,
      hidden: this.#hidden,
      uid: this.#firstUid,
      open: settings.allowUnsandboxed,
      only: settings.sandbox,
    });
    if (kind === "open") {
      this.#options.onTrouble(
        "Builds run without a sandbox (--allow-unsandboxed-builds). Their code can read and change everything the platform can",
      );
    }
    return kind;
  }

  async #build(
    job: BuildJob,
    context: {
      readonly log: BuildLogWriter;
      readonly signal: AbortSignal;
      readonly use: UseBuilt | undefined;
    },
  ): Promise<BuildOutcome> {
    const { log, signal } = context;
    const project = await this.#options.projects.find(job.workspaceId, job.projectId);
    if (project === undefined) return { type: "cancelled" };
    const kind = await this.sandbox().catch((error) => {
      if (error instanceof SandboxUndecidedError) return error;
      throw error;
    });
    if (kind instanceof Error) return { type: "failed", reason: kind.message };
    if (kind === undefined) return { type: "failed", reason: REFUSED };
    signal.throwIfAborted();
    const places = await preparePlaces(kind, {
      dataDir: this.#options.dataDir,
      mark: this.#mark,
    });
    const slot = this.#slots.take(job.projectId);
    const path = join(places.builds, job.deploymentId);
    const cache = slot.ownsCache ? join(places.caches, job.projectId) : undefined;
    let hasEnded = true;
    try {
      const folder = await makeBuildFolder(path, { kind, cache });
      log.add("info", `Building commit ${job.commitSha} of ${job.branch}`);
      const target = folder.repository;
      const parts = await this.#options.git.exportCommit(project, job, { target, signal });
      reportParts(log, parts);
      const { databases, own, secret } = await openBuildVariables(this.#options, project, job);
      const variables = { ...databases, ...own };
      const known = await this.#options.variables.list(job.projectId);
      const masker = maskerFor(variables, known.filter(({ key }) => !secret.includes(key)));
      return await this.#buildIn(folder, {
        job,
        parts,
        since: await this.#changes(project, job),
        project,
        kind,
        slot,
        variables,
        masker,
        ...context,
      });
    } catch (error) {
      hasEnded = !(error instanceof StillRunningError);
      if (error instanceof StillRunningError) {
        this.#options.onTrouble(
          `Build ${job.deploymentId} has finished, but one of its processes is still running: ` +
            `${error.message}. User ${slot.uid} and the folder ${path} will not be reused until ` +
            "the platform restarts",
        );
        if (!signal.aborted) return { type: "failed", reason: STILL_RUNNING };
      }
      if (signal.aborted) return { type: "cancelled" };
      if (error instanceof DatabaseNotReadyError || error instanceof ReferencesError) {
        return { type: "failed", reason: `The build cannot start: ${error.message}` };
      }
      if (error instanceof GitFault || error instanceof OutputRefused) {
        // Removes control characters, because the message may quote the build's output.
        return { type: "failed", reason: plainText(error.message) };
      }
      throw error;
    } finally {
      // The user of a process that is still running is not freed, so no other build gets the same
      // user.
      if (hasEnded) {
        await this.#clean(path, cache);
        this.#slots.give(job.projectId, slot);
      }
    }
  }

  async #buildIn(
    folder: BuildFolder,
    build: FolderBuild & { readonly use: UseBuilt | undefined },
  ): Promise<BuildOutcome> {
    const { job, kind, slot, log, use } = build;
    const end = await this.#runJob(folder, build);
    if (end.type === "aborted") return { type: "cancelled" };
    if (end.type === "checked") return { type: "failed", reason: UNASKED };
    if (end.type !== "packed") return end;
    const content = await collectOutput(end.packed, {
      blobs: this.#options.vault.of(job.workspaceId),
      shown: await realPlaces(folder.shown),
      uid: hasOwnUser(kind) ? slot.uid : undefined,
    });
    log.add("info", `Built ${formatCount(content.files.length, "file")}`);
    await use?.(
      content,
      (commands, place) => this.#check(folder, build, { commands: [...commands], place }),
    );
    return { type: "built", content };
  }

  /** Runs the check commands in the checkout, and reports the results. */
  async #check(
    folder: BuildFolder,
    build: FolderBuild,
    { commands, place }: NonNullable<BuildJobFile["checks"]>,
  ): Promise<readonly CommandResult[]> {
    const end = await this.#runJob(folder, build, { commands, place });
    if (end.type === "checked") return maskResults(end.results, build.masker);
    const problem = end.type === "failed" ? end.reason : "The check was stopped";
    return commands.map((name) => ({ name, passed: false, durationMs: 0, problem }));
  }

  /** Runs a build or its checks in the sandbox. */
  async #runJob(
    folder: BuildFolder,
    build: FolderBuild,
    checks?: BuildJobFile["checks"],
  ): Promise<SandboxedEnd> {
    const { job, kind, slot, masker, log, signal } = build;
    const file = { ...jobFile(folder, build), checks };
    await Deno.writeTextFile(folder.jobFile, JSON.stringify(file), { mode: 0o600 });
    await giveToUser(folder, { kind, uid: slot.uid });
    const { program: own, onTrouble } = this.#options;
    const { toolchains, path } = hasOwnRoot(kind)
      ? await this.#options.toolchains()
      : { toolchains: [], path: [] };
    const program = { ...own, needs: [...own.needs, ...toolchains] };
    const sandbox: SandboxOptions = { kind, program, hidden: this.#hidden };
    const end = await runSandboxed({
      run: {
        uid: slot.uid,
        root: folder.root,
        shown: folder.shown,
        command: [...program.command, join(folder.inside.box, "job.json")],
        env: buildEnvironment(folder, {
          job,
          kind,
          program,
          path: this.#options.path,
          toolchains: path,
          mark: this.#mark,
        }),
        limits: this.#limits,
      },
      sandbox,
      limits: this.#limits,
      folders: [...new Set([folder.path, folder.cache])],
      log,
      masker,
      signal,
      onTrouble,
    });
    // Without a sandbox, a process may have left its group, but its environment still contains the
    // marker.
    if (kind === "open") await killMarked(`SVC_DEPLOYMENT_ID=${job.deploymentId}`);
    return end;
  }

  /** Returns what has changed since the branch's deployment, or null if unknown. */
  async #changes(project: ProjectRecord, { since, commitSha }: BuildJob) {
    // Changed settings can produce a different site from the same files.
    if (since === null || project.updatedAt > since.createdAt) return null;
    const range = { from: since.commitSha, to: commitSha };
    const files = await this.#options.git.changedFiles(project.id, range);
    return files === undefined ? null : { commitSha: since.commitSha, files };
  }

  async #clean(path: string, cache: string | undefined): Promise<void> {
    try {
      await removeBuildFolder(path);
      if (cache === undefined) return;
      const bytes = await folderSize(cache);
      if (bytes === undefined || bytes > this.#limits.cacheBytes) await removeBuildFolder(cache);
    } catch (error) {
      this.#options.onTrouble(`Cannot clean up after a build: ${error}`);
    }
  }
}
