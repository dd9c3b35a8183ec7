/** @module The stored logins. An invalid file is an error only if a command needs its content. */
import {
  type Credential,
  findCredential,
  type Login,
  type LoginRemoval,
} from "../../config/credentials.ts";
import type { Credentials } from "../../config/credentials_schema.ts";
import {
  CredentialsFileError,
  credentialsPath,
  loadCredentials,
  removeLogin,
  saveLogin,
  setDefaultWorkspace,
} from "../../config/credentials_file.ts";
import { normalizeApiUrl } from "../../config/api_url.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Environment } from "./global_flags.ts";

interface StoredLogin {
  readonly workspace: string;
  readonly token: string;
}

export interface CredentialStore {
  /** Path of the file, or `undefined` if the environment does not name a home folder. */
  readonly path: string | undefined;
  /** Returns the path for saving logins. Throws if the file is invalid or no folder is known. */
  writablePath(): string;
  /** Platform of the most recent login. */
  readonly apiUrl: string | undefined;
  /** Warnings about the file to show to the user. */
  readonly warnings: readonly string[];
  find(apiUrl: string, workspace: string | undefined): Credential | undefined;
  /** Returns the workspace that was set as the default on a platform. */
  defaultWorkspace(apiUrl: string): string | undefined;
  /** Returns every stored login to a platform. */
  logins(apiUrl: string): readonly StoredLogin[];
  saveLogin(login: Login): Promise<void>;
  /** Removes a login. Returns false if there was none. */
  removeLogin(removal: LoginRemoval): Promise<boolean>;
  saveDefaultWorkspace(apiUrl: string, workspace: string): Promise<void>;
}

interface Loaded {
  readonly credentials?: Credentials;
  readonly warnings: readonly string[];
  readonly failure?: CredentialsFileError;
}

async function load(path: string | undefined): Promise<Loaded> {
  if (path === undefined) return { warnings: [] };
  try {
    return await loadCredentials(path);
  } catch (failure) {
    if (failure instanceof CredentialsFileError) return { warnings: [], failure };
    throw failure;
  }
}

function pathOf(env: Environment): string | undefined {
  const home = env.HOME ?? env.USERPROFILE;
  if (home === undefined || home === "") return undefined;
  const { XDG_CONFIG_HOME: xdgConfigHome } = env;
  return credentialsPath({ home, xdgConfigHome });
}

function needPath(path: string | undefined): string {
  if (path !== undefined) return path;
  throw new CliError("credentials_invalid", "HOME is not set, so there is no credentials file", {
    hint: "Set HOME, or use SVC_TOKEN",
  });
}

/** Opens the user's credentials file. The environment determines its path. */
export async function openCredentialStore(env: Environment): Promise<CredentialStore> {
  const path = pathOf(env);
  const { credentials, warnings, failure } = await load(path);

  const read = (): Credentials | undefined => {
    if (failure === undefined) return credentials;
    throw new CliError("credentials_invalid", failure.message, { cause: failure });
  };

  return {
    path,
    writablePath() {
      read();
      return needPath(path);
    },
    apiUrl: credentials?.currentPlatform,
    warnings,
    find(apiUrl, workspace) {
      const stored = read();
      const query = workspace === undefined ? { apiUrl } : { apiUrl, workspace };
      return stored === undefined ? undefined : findCredential(stored, query);
    },
    defaultWorkspace(apiUrl) {
      return credentials?.platforms[normalizeApiUrl(apiUrl)]?.defaultWorkspace;
    },
    logins(apiUrl) {
      const logins = read()?.platforms[normalizeApiUrl(apiUrl)]?.logins ?? {};
      return Object.entries(logins).map(([workspace, { token }]) => ({ workspace, token }));
    },
    removeLogin: (removal) => removeLogin(needPath(path), removal),
    saveLogin: (login) => saveLogin(needPath(path), login),
    saveDefaultWorkspace: (apiUrl, workspace) =>
      setDefaultWorkspace(needPath(path), { apiUrl, workspace }),
  };
}
