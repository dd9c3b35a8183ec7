/**
 * git's environment: our own config file instead of the machine's settings, and one project's
 * credentials while a command runs.
 *
 * @module
 */
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { createSecretMasker, type SecretMasker } from "../../lib/mask_secrets.ts";
import type { GitCredentials } from "../projects/mod.ts";
import type { GitAddress } from "../../lib/git_url.ts";

/** The variable that marks git's processes, so they can be found after a crash. */
export const GIT_MARKER = "SVC_GIT_FOLDER";

/**
 * git's own settings. Old repositories have harmless defects, which GitHub and GitLab also accept.
 */
const CONFIG = `[core]
	hooksPath = /dev/null
	fsmonitor = false
	askPass = /bin/false
[credential]
	helper =
[protocol]
	allow = never
[http]
	followRedirects = false
	lowSpeedLimit = 1000
	lowSpeedTime = 30
[transfer]
	fsckObjects = true
[fetch "fsck"]
	zeroPaddedFilemode = ignore
	badTimezone = ignore
	missingSpaceBeforeDate = ignore
	missingSpaceBeforeEmail = ignore
	nullSha1 = ignore
[fetch]
	unpackLimit = 1
	recurseSubmodules = false
[gc]
	auto = 0
[maintenance]
	auto = false
[safe]
	directory = *
[submodule]
	recurse = false
[uploadpack]
	allowAnySHA1InWant = true
[advice]
	detachedHead = false
[init]
	defaultBranch = main
`;

/** Name prefix of temporary folders and files. A crash may leave them behind. */
export const INCOMING_PREFIX = "incoming-";

export interface GitFolder {
  readonly root: string;
  /** git's home, with our config file. */
  readonly home: string;
  readonly path: string;
  readonly network: Readonly<Record<string, string>>;
}

const configFile = (folder: GitFolder): string => join(folder.home, "config");

/** Creates git's home with the config file that every run reads. */
export async function prepareGitFolder(folder: GitFolder): Promise<void> {
  for (const path of [folder.root, folder.home]) {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  }
  await writeFileAtomically(configFile(folder), CONFIG, { mode: 0o600 });
}

/**
 * Returns the environment for every run of git. By itself, it does not give git access to any
 * remote repository.
 */
export function gitEnvironment(folder: GitFolder): Record<string, string> {
  return {
    ...folder.network,
    [GIT_MARKER]: folder.root,
    PATH: folder.path,
    HOME: folder.home,
    LC_ALL: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: configFile(folder),
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    SSH_ASKPASS: "/bin/false",
    GIT_PROTOCOL_FROM_USER: "0",
    GIT_OPTIONAL_LOCKS: "0",
  };
}

/**
 * Passes settings as environment variables, so they do not appear in any file or on any command
 * line.
 */
function configVariables(settings: readonly (readonly [string, string])[]) {
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  settings.forEach(([key, value], index) => {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return env;
}

const quoted = (path: string): string => `"${path.replace(/["\\]/g, "\\$&")}"`;

const shellQuoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;

interface SshFiles {
  readonly config: string;
  readonly key: string;
  readonly knownHosts: string;
}

/** Returns an `ssh_config` that prevents prompts, and connects to the address that was checked. */
function sshConfig(
  source: Extract<GitAddress, { readonly transport: "ssh" }>,
  address: string,
  parts: { readonly files: SshFiles; readonly hasKey: boolean; readonly isKnown: boolean },
): string {
  const { files, hasKey, isKnown } = parts;
  return [
    "Host *",
    `  HostName ${address}`,
    // Known hosts are listed by name, not by address.
    `  HostKeyAlias ${source.port === 22 ? source.host : `[${source.host}]:${source.port}`}`,
    `  UserKnownHostsFile ${quoted(files.knownHosts)}`,
    "  GlobalKnownHostsFile /dev/null",
    `  StrictHostKeyChecking ${isKnown ? "yes" : "accept-new"}`,
    ...(hasKey ? [`  IdentityFile ${quoted(files.key)}`] : ["  IdentityFile none"]),
    "  IdentitiesOnly yes",
    "  IdentityAgent none",
    "  BatchMode yes",
    "  CheckHostIP no",
    "  ConnectTimeout 15",
    "  ServerAliveInterval 15",
    "  ControlMaster no",
    "  ForwardAgent no",
    "  ForwardX11 no",
    "  PermitLocalCommand no",
    "  ClearAllForwardings yes",
    "",
  ].join("\n");
}

/** The additional environment variables for one connection to a repository. */
export interface RemoteAccess {
  readonly env: Readonly<Record<string, string>>;
  readonly masker: SecretMasker;
  /** Removes the files that contain secrets. */
  dispose(): Promise<void>;
}

const NOTHING_TO_DISPOSE = () => Promise.resolve();

function httpAccess(
  source: Extract<GitAddress, { readonly transport: "http" }>,
  address: string,
  credentials: GitCredentials | undefined,
): RemoteAccess {
  const { origin, protocol } = new URL(source.url);
  const pin = `${source.host}:${source.port}:${address.includes(":") ? `[${address}]` : address}`;
  const settings: [string, string][] = [["http.curloptResolve", pin]];
  const secrets: string[] = [];
  if (credentials?.type === "https") {
    const { username, token } = credentials;
    const basic = new TextEncoder().encode(`${username}:${token}`).toBase64();
    settings.push([`http.${origin}/.extraHeader`, `Authorization: Basic ${basic}`]);
    secrets.push(token, basic);
  }
  return {
    env: { GIT_ALLOW_PROTOCOL: protocol.slice(0, -1), ...configVariables(settings) },
    masker: createSecretMasker(secrets),
    dispose: NOTHING_TO_DISPOSE,
  };
}

async function sshAccess(
  source: Extract<GitAddress, { readonly transport: "ssh" }>,
  address: string,
  parts: Omit<RemoteParts, "address">,
): Promise<RemoteAccess> {
  const { credentials } = parts;
  const key = credentials?.type === "ssh" ? credentials.privateKey : undefined;
  const known = credentials?.type === "ssh" ? credentials.knownHosts : null;
  const folder = await Deno.makeTempDir({ dir: parts.folder.root, prefix: INCOMING_PREFIX });
  const files = {
    config: join(folder, "config"),
    key: join(folder, "key"),
    knownHosts: known === null ? parts.knownHosts : join(folder, "known_hosts"),
  };
  const write = (path: string, text: string) =>
    Deno.writeTextFile(path, text.endsWith("\n") ? text : `${text}\n`, { mode: 0o600 });
  if (key !== undefined) await write(files.key, key);
  if (known !== null) await write(files.knownHosts, known);
  const options = { files, hasKey: key !== undefined, isKnown: known !== null };
  await write(files.config, sshConfig(source, address, options));
  return {
    env: {
      GIT_ALLOW_PROTOCOL: "ssh",
      GIT_SSH_COMMAND: `ssh -F ${shellQuoted(files.config)}`,
      GIT_SSH_VARIANT: "ssh",
    },
    masker: createSecretMasker(key === undefined ? [] : [key]),
    dispose: () => Deno.remove(folder, { recursive: true }).catch(() => {}),
  };
}

interface RemoteParts {
  readonly folder: GitFolder;
  readonly address: string | undefined;
  readonly credentials: GitCredentials | undefined;
  /** The file in which to store the keys of known hosts, if the project does not specify any. */
  readonly knownHosts: string;
}

/** Prepares a connection to a repository at an address that was checked. */
export async function openRemote(source: GitAddress, parts: RemoteParts): Promise<RemoteAccess> {
  const { address, credentials } = parts;
  if (source.transport === "local" || address === undefined) {
    return {
      env: { GIT_ALLOW_PROTOCOL: "file" },
      masker: createSecretMasker([]),
      dispose: NOTHING_TO_DISPOSE,
    };
  }
  return source.transport === "http"
    ? httpAccess(source, address, credentials)
    : await sshAccess(source, address, parts);
}
