/**
 * @module The context of a command: its user interface, the client for the platform, prompts, and
 * facts about the machine. A command gets nothing else, so a test can run any command without a new
 * process.
 */
import { resolve } from "node:path";
import { type Client, type ClientOptions, createClient } from "../../client/client.ts";
import type { Waits } from "../../client/patience.ts";
import { findProjectRoot } from "../../config/project_root.ts";
import { loadProjectConfig } from "../../config/load_project_config.ts";
import type { ProjectConfig } from "../../config/project_config.ts";
import { CliError } from "../errors/cli_error.ts";
import type { SuggestedCommands } from "../errors/suggested_commands.ts";
import { createClackPrompter, type Prompter } from "../prompts/prompter.ts";
import { createPlainPrompter } from "../prompts/plain_prompter.ts";
import type { Keyboard } from "../prompts/keys.ts";
import { startWorkTime } from "../prompts/work_time.ts";
import type { Phase, Ui } from "../terminal/ui.ts";
import { wantsColor } from "../terminal/color.ts";
import type { Writer } from "../terminal/writer.ts";
import type { Clock } from "../../lib/clock.ts";
import type { LookUp } from "./candidate.ts";
import { type CredentialStore, openCredentialStore } from "./credential_store.ts";
import { DEFAULT_API_URL, type Environment } from "./global_flags.ts";
import type { JobKeys } from "./job_key.ts";
import { findJobIdentity, type JobIdentity } from "./job_identity.ts";
import type { Settings } from "./settings.ts";
import { chooseWorkspace, type WorkspaceChoice } from "./workspace_choice.ts";

/**
 * Passes the signals that this program receives to `handle` instead of stopping, until the returned
 * function is called.
 */
export type TakeSignals = (handle: (signal: Deno.Signal) => void) => () => void;

/** The parts of the process that a command can access. */
export interface Host {
  readonly stdout: Writer;
  readonly stderr: Writer;
  readonly stdinIsTerminal: boolean;
  /** Returns the stdin stream, which is opened only when a command asks for it. */
  readonly stdin: () => ReadableStream<Uint8Array>;
  readonly env: Environment;
  readonly cwd: string;
  readonly now: Clock;
  /** Aborted when the user or the system asks the program to stop. */
  readonly signal: AbortSignal;
  readonly takeSignals: TakeSignals;
  /** Sets a function that runs before a second signal stops the program. */
  readonly onSecondStop: (act: () => void) => void;
  readonly fetch: typeof fetch;
  /** How long to wait for the platform, instead of the defaults. */
  readonly waits?: Waits;
  /** Waits. Rejects with `signal.reason` when `signal` is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Opens a URL in the user's browser. Returns false if there is no browser. */
  readonly openUrl: (url: string) => boolean;
  readonly machineName: () => string;
  /** The terminal's keyboard, for terminals that cannot move their cursor. */
  readonly keyboard: Keyboard;
  /** Used instead of the terminal's prompter. */
  readonly prompter?: Prompter;
}

/** Options for a command line that one command runs for another. */
export interface CallOptions {
  /** Directory to run in, instead of the current one. */
  readonly cwd?: string;
  /** Bytes on stdin. */
  readonly stdin?: string;
}

/** Runs a command line of the CLI in JSON mode. */
export type CallCommand = (
  words: readonly string[],
  options?: CallOptions,
) => Promise<{ readonly exitCode: number; readonly answer: Readonly<Record<string, unknown>> }>;

/**
 * The part of a folder's `svc.toml` that names a workspace, or `undefined` if there is no such
 * file.
 */
interface FolderConfig {
  readonly config: Pick<ProjectConfig, "project"> | undefined;
}

export interface ClientFacts {
  /** Phase of the client's debug lines. */
  readonly phase: Phase;
  /** The folder that the command works on, if it is not the current one. */
  readonly folder?: FolderConfig | undefined;
  /** True for calls that clean up after the user has stopped the command. */
  readonly outlivesStop?: boolean;
  /**
   * Token to use instead of the token from settings and logins. The token is bound to its
   * workspace.
   */
  readonly token?: string;
}

export interface Context {
  readonly ui: Ui;
  readonly settings: Settings;
  readonly env: Environment;
  readonly cwd: string;
  readonly now: Clock;
  readonly signal: AbortSignal;
  readonly stdin: Host["stdin"];
  readonly stdinIsTerminal: boolean;
  readonly takeSignals: TakeSignals;
  readonly keyboard: Keyboard;
  readonly fetch: typeof fetch;
  /** Waits, unless the user stops the program. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly openUrl: Host["openUrl"];
  readonly machineName: string;
  readonly credentials: CredentialStore;
  /** URL of the platform, from the flag, the variable, the credentials, or the default. */
  readonly apiUrl: string;
  /** `undefined` if no user can answer questions. */
  readonly prompter: Prompter | undefined;
  /**
   * Returns how long the command has worked, in milliseconds, excluding the time that the user took
   * to answer.
   */
  readonly elapsed: () => number;
  /** Command lines that errors and hints suggest. */
  readonly lines: SuggestedCommands;
  /**
   * Runs another command line with the key, workspace and platform of this one, and returns its
   * JSON object.
   */
  readonly call: CallCommand;
  /** Completes the end of a command line. */
  complete(words: readonly string[], lookUp: LookUp): Promise<string>;
  /** Returns the absolute form of a path that the user gave. */
  path(given: string): string;
  /** Gets a key for the current CI job. `undefined` outside of jobs that can get a key. */
  readonly jobKey: JobKey | undefined;
  /** The workspace to use in the current folder, or `undefined` to let the key choose it. */
  readonly workspace: WorkspaceChoice | undefined;
  /** True if there is a key for the current folder, or a way to get one. */
  readonly hasKey: boolean;
  /** Creates a client for calls that need a key. Throws if there is no key. */
  client(facts: ClientFacts): Client;
}

function isInteractive(host: Host, ui: Ui): boolean {
  if (ui.json || isSet(host.env.CI)) return false;
  return host.stdinIsTerminal && host.stderr.isTerminal;
}

/**
 * Creates a prompter with arrow keys and colors, or with plain lines of text if colors are off.
 */
function openPrompter({ env, keyboard, stderr, signal }: Host): Prompter {
  return wantsColor(env, stderr.isTerminal)
    ? createClackPrompter(keyboard, stderr, signal)
    : createPlainPrompter(keyboard, stderr, signal);
}

const isSet = (value: string | undefined): boolean =>
  value !== undefined && value !== "" && value !== "0" && value !== "false";

/** Returns the error for a missing key on this platform. */
function noKey(apiUrl: string, lines: SuggestedCommands): CliError {
  return new CliError("unauthorized", `No login or key for ${apiUrl}`, {
    hint: "Log in, or set SVC_TOKEN. `svc serve` prints the first key of a new platform",
    next: [lines.of("login")],
  });
}

/**
 * Reads the `svc.toml` in the current folder, or in the nearest parent folder that has one. Ignores
 * an invalid file.
 */
async function readFolderConfig({ cwd, env }: Host): Promise<FolderConfig> {
  const home = env.HOME ?? env.USERPROFILE;
  const root = await findProjectRoot(cwd, home === undefined ? {} : { home });
  const loaded = root === undefined ? undefined : await loadProjectConfig(root);
  return { config: loaded?.status === "found" ? loaded.config : undefined };
}

/** Gets a key for a workspace and, if known, a project. @throws {CliError} */
type JobKey = (
  workspace: string | undefined,
  project: string | undefined,
) => Promise<string>;

/** Gets keys for a CI job. The code that does so is loaded only when the first key is needed. */
function openJobKeys(
  identity: JobIdentity,
  by: Pick<Host, "fetch" | "signal" | "now"> & { readonly apiUrl: string },
): JobKey {
  let loading: Promise<JobKeys> | undefined;
  return async (workspace, project) => {
    loading ??= import("./job_key.ts").then(({ JobKeys }) => new JobKeys(identity, by));
    return await (await loading).key(workspace, project);
  };
}

/** Creates the context of one run. Reads the credentials file and the folder's `svc.toml`. */
export async function createContext(
  parts: {
    readonly host: Host;
    readonly settings: Settings;
    readonly ui: Ui;
    readonly lines: SuggestedCommands;
    readonly complete: Context["complete"];
    readonly call: CallCommand;
    /** Called for each request that changes something. */
    readonly watchChange: NonNullable<ClientOptions["watchChange"]>;
  },
): Promise<Context> {
  const { host, settings, ui, lines, watchChange } = parts;
  const [credentials, here] = await Promise.all([
    openCredentialStore(host.env),
    readFolderConfig(host),
  ]);
  for (const warning of credentials.warnings) ui.log("auth", "warn", warning);
  const apiUrl = settings.apiUrl ?? credentials.apiUrl ?? DEFAULT_API_URL;
  const storedDefault = credentials.defaultWorkspace(apiUrl);
  const workspaceIn = ({ config }: FolderConfig) =>
    chooseWorkspace({ settings, project: config?.project.workspace, storedDefault });
  const identity = findJobIdentity(host.env);
  const jobKey = identity && openJobKeys(identity, { ...host, apiUrl });
  const work = startWorkTime(host.now);
  const asked = host.prompter ??
    (isInteractive(host, ui) ? openPrompter(host) : undefined);
  return {
    ui,
    settings,
    env: host.env,
    cwd: host.cwd,
    now: host.now,
    signal: host.signal,
    stdin: host.stdin,
    stdinIsTerminal: host.stdinIsTerminal,
    takeSignals: host.takeSignals,
    keyboard: host.keyboard,
    fetch: host.fetch,
    sleep: (milliseconds) => host.sleep(milliseconds, host.signal),
    openUrl: host.openUrl,
    machineName: host.machineName(),
    credentials,
    apiUrl,
    prompter: asked === undefined ? undefined : work.watch(asked),
    elapsed: work.elapsed,
    lines,
    complete: parts.complete,
    call: parts.call,
    path: (given) => resolve(host.cwd, given),
    jobKey,
    workspace: workspaceIn(here),
    hasKey: settings.token !== undefined || jobKey !== undefined ||
      credentials.find(apiUrl, workspaceIn(here)?.slug) !== undefined,
    client({ phase, folder, outlivesStop, token: given }) {
      const choice = workspaceIn(folder ?? here);
      const { config } = folder ?? here;
      const project = config?.project.id ?? config?.project.name;
      const token = given ?? settings.token ?? credentials.find(apiUrl, choice?.slug)?.token ??
        (jobKey && (() => jobKey(choice?.slug, project)));
      if (token === undefined) throw noKey(apiUrl, lines);
      const chosen = given === undefined ? choice?.slug : undefined;
      return createClient({
        baseUrl: apiUrl,
        token,
        fetch: host.fetch,
        now: host.now,
        newIdempotencyKey: () => crypto.randomUUID(),
        ...(outlivesStop === true ? {} : { signal: host.signal, watchChange }),
        workspace: chosen,
        waits: host.waits,
        onWaiting: (waited) =>
          ui.log(phase, "info", `Still waiting for ${apiUrl} (${waited / 1000} s)`),
        onExchange: ({ method, path, status }) => ui.debug(phase, `${method} ${path} ${status}`),
      });
    },
  };
}
