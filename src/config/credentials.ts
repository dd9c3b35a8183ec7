/**
 * @module Logins of the CLI (cli-and-config.md, "Authentication"): for each platform, the tokens of
 * one or more workspaces, and which workspace is the default. Pure. credentials_file.ts stores the
 * logins on disk.
 */
import { normalizeApiUrl } from "./api_url.ts";
import type { Credentials, Platform } from "./credentials_schema.ts";

export const NO_CREDENTIALS: Credentials = { version: 1, platforms: {} };

export interface Login {
  readonly apiUrl: string;
  readonly workspace: string;
  readonly workspaceName?: string;
  readonly token: string;
  /** When the login was stored. */
  readonly savedAt: Date;
}

/** The platform, credential and workspace for a request. */
export interface Credential {
  readonly apiUrl: string;
  readonly token: string;
  readonly workspace: string;
}

function platformOf(credentials: Credentials, apiUrl: string): Platform | undefined {
  return Object.hasOwn(credentials.platforms, apiUrl) ? credentials.platforms[apiUrl] : undefined;
}

function newestWorkspace(logins: Platform["logins"]): string | undefined {
  return Object.entries(logins)
    .toSorted(([, left], [, right]) => Date.parse(right.savedAt) - Date.parse(left.savedAt))
    .at(0)?.[0];
}

function withPlatform(credentials: Credentials, apiUrl: string, platform: Platform): Credentials {
  return { ...credentials, platforms: { ...credentials.platforms, [apiUrl]: platform } };
}

/** Adds or replaces a login and makes it the default. Other logins do not change. */
export function addLogin(credentials: Credentials, login: Login): Credentials {
  const apiUrl = normalizeApiUrl(login.apiUrl);
  const logins = platformOf(credentials, apiUrl)?.logins ?? {};
  const added = withPlatform(credentials, apiUrl, {
    defaultWorkspace: login.workspace,
    logins: {
      ...logins,
      [login.workspace]: {
        token: login.token,
        ...(login.workspaceName === undefined ? {} : { workspaceName: login.workspaceName }),
        savedAt: login.savedAt.toISOString(),
      },
    },
  });
  return { ...added, currentPlatform: apiUrl };
}

/** The logins to remove: the login of one workspace, or every login of a platform. */
export interface LoginRemoval {
  readonly apiUrl: string;
  /** The workspace to log out of. Defaults to every workspace. */
  readonly workspace?: string;
}

function withoutPlatform(credentials: Credentials, apiUrl: string): Credentials {
  const { [apiUrl]: _removed, ...platforms } = credentials.platforms;
  const { currentPlatform, ...rest } = credentials;
  const next = currentPlatform === apiUrl ? Object.keys(platforms).at(0) : currentPlatform;
  return { ...rest, ...(next === undefined ? {} : { currentPlatform: next }), platforms };
}

/**
 * Removes logins. If the default workspace is removed, the newest remaining login becomes the
 * default. A platform without logins is removed.
 */
export function dropLogins(credentials: Credentials, removal: LoginRemoval): Credentials {
  const apiUrl = normalizeApiUrl(removal.apiUrl);
  const platform = platformOf(credentials, apiUrl);
  if (platform === undefined) return credentials;
  const logins = Object.fromEntries(
    Object.entries(platform.logins).filter(([workspace]) =>
      removal.workspace !== undefined && workspace !== removal.workspace
    ),
  );
  const newest = newestWorkspace(logins);
  if (newest === undefined) return withoutPlatform(credentials, apiUrl);
  const isDefaultGone = platform.defaultWorkspace === removal.workspace;
  return withPlatform(credentials, apiUrl, {
    defaultWorkspace: isDefaultGone ? newest : platform.defaultWorkspace,
    logins,
  });
}

/**
 * Makes a workspace the default for a platform. No stored login is required, because the token can
 * come from a flag or a variable.
 */
export function withDefaultWorkspace(
  credentials: Credentials,
  choice: { readonly apiUrl: string; readonly workspace: string },
): Credentials {
  const apiUrl = normalizeApiUrl(choice.apiUrl);
  const logins = platformOf(credentials, apiUrl)?.logins ?? {};
  return withPlatform(credentials, apiUrl, { defaultWorkspace: choice.workspace, logins });
}

/** The requested credential. Missing parts are replaced with the stored defaults. */
interface CredentialQuery {
  /** The platform. Defaults to the current one. */
  readonly apiUrl?: string;
  /** The workspace. Defaults to the platform's default. */
  readonly workspace?: string;
}

/**
 * Finds the token for a workspace: the token stored for it, or else the platform's newest token,
 * because one account can have several workspaces. A token is only ever sent to the platform that
 * issued it.
 */
export function findCredential(
  credentials: Credentials,
  query: CredentialQuery = {},
): Credential | undefined {
  const wanted = query.apiUrl ?? credentials.currentPlatform;
  if (wanted === undefined) return undefined;
  const apiUrl = normalizeApiUrl(wanted);
  const platform = platformOf(credentials, apiUrl);
  if (platform === undefined) return undefined;
  const workspace = query.workspace ?? platform.defaultWorkspace;
  const source = Object.hasOwn(platform.logins, workspace)
    ? workspace
    : newestWorkspace(platform.logins);
  const token = source === undefined ? undefined : platform.logins[source]?.token;
  return token === undefined ? undefined : { apiUrl, token, workspace };
}
