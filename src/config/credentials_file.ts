/**
 * @module The credentials file: `~/.config/svc/credentials.json`, readable only by its owner,
 * written atomically, and never overwritten if it cannot be read.
 */
import { dirname, isAbsolute, join } from "node:path";
import type * as z from "zod";
import { writeFileAtomically } from "../lib/atomic_file.ts";
import { describeFileFault } from "../lib/file_fault.ts";
import { formatPath, type PathStep } from "../lib/diagnostic.ts";
import { NotUtf8Error, readTextFile } from "../lib/utf8.ts";
import {
  addLogin,
  dropLogins,
  type Login,
  type LoginRemoval,
  NO_CREDENTIALS,
  withDefaultWorkspace,
} from "./credentials.ts";
import type { Credentials } from "./credentials_schema.ts";

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
/** Permission bits of group and others. */
const OTHERS = 0o077;

/** The environment that determines the path of the file. */
interface CredentialsLocation {
  readonly home: string;
  /** `XDG_CONFIG_HOME`, which must be an absolute path (XDG Base Directory, "Basics"). */
  readonly xdgConfigHome?: string;
}

export function credentialsPath({ home, xdgConfigHome }: CredentialsLocation): string {
  const base = xdgConfigHome !== undefined && isAbsolute(xdgConfigHome)
    ? xdgConfigHome
    : join(home, ".config");
  return join(base, "svc", "credentials.json");
}

/** The file exists but is unusable. The message never contains the file's content. */
export class CredentialsFileError extends Error {
  override readonly name = "CredentialsFileError";

  constructor(readonly path: string, problem: string, options?: ErrorOptions) {
    super(
      `Cannot use ${path}: ${problem}. Repair the file, or remove it and log in again`,
      options,
    );
  }
}

interface LoadedCredentials {
  readonly credentials: Credentials;
  /** Warnings for the user, such as a file that others can read. */
  readonly warnings: readonly string[];
}

/** Lists where the problems are, without the content, because it may contain a token. */
function places({ issues }: z.ZodError): string {
  const paths = issues.map((issue) => formatPath(issue.path as PathStep[]) || "the top level");
  return [...new Set(paths)].slice(0, 5).join(", ");
}

async function parseCredentials(path: string, text: string): Promise<Credentials> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message would quote the text, which contains tokens.
    throw new CredentialsFileError(path, "it is not valid JSON");
  }
  const { credentialsSchema } = await import("./credentials_schema.ts");
  const checked = credentialsSchema.safeParse(value);
  if (checked.success) return checked.data;
  throw new CredentialsFileError(path, `it has the wrong shape at ${places(checked.error)}`);
}

function modeWarnings(path: string, mode: number | null): string[] {
  if (mode === null || (mode & OTHERS) === 0) return [];
  const shown = (mode & 0o777).toString(8).padStart(3, "0");
  return [`Other users can read your tokens in ${path} (mode ${shown}): run chmod 600 "${path}"`];
}

/**
 * Loads the stored logins. Returns none if the file is missing. Throws {@link CredentialsFileError}
 * for a file that is invalid or cannot be read.
 */
export async function loadCredentials(path: string): Promise<LoadedCredentials> {
  let text: string;
  let mode: number | null;
  try {
    ({ mode } = await Deno.stat(path));
    text = await readTextFile(path);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return { credentials: NO_CREDENTIALS, warnings: [] };
    if (cause instanceof NotUtf8Error) {
      const { line, column } = cause.fault.position;
      throw new CredentialsFileError(path, `line ${line}, column ${column} is not UTF-8`, {
        cause,
      });
    }
    const reason = describeFileFault(cause);
    throw new CredentialsFileError(path, `it cannot be read: ${reason}`, { cause });
  }
  return { credentials: await parseCredentials(path, text), warnings: modeWarnings(path, mode) };
}

async function writeCredentials(path: string, credentials: Credentials): Promise<void> {
  const { credentialsSchema } = await import("./credentials_schema.ts");
  const checked = credentialsSchema.safeParse(credentials);
  if (!checked.success) {
    throw new TypeError(`Cannot save credentials: wrong shape at ${places(checked.error)}`);
  }
  const directory = dirname(path);
  await Deno.mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
  if (Deno.build.os !== "windows") await Deno.chmod(directory, DIRECTORY_MODE);
  await writeFileAtomically(path, `${JSON.stringify(credentials, null, 2)}\n`, {
    mode: FILE_MODE,
  });
}

/**
 * Stores a login and makes it the default. Other logins do not change. Throws {@link
 * CredentialsFileError} instead of replacing an unreadable file, and `TypeError` for an invalid
 * token or workspace slug.
 */
export async function saveLogin(path: string, login: Login): Promise<void> {
  const { credentials } = await loadCredentials(path);
  await writeCredentials(path, addLogin(credentials, login));
}

/**
 * Removes one login, or all logins to a platform. Returns true if there was something to remove.
 */
export async function removeLogin(path: string, removal: LoginRemoval): Promise<boolean> {
  const { credentials } = await loadCredentials(path);
  const remaining = dropLogins(credentials, removal);
  if (JSON.stringify(remaining) === JSON.stringify(credentials)) return false;
  await writeCredentials(path, remaining);
  return true;
}

/** Sets the default workspace for a platform, even without a login to it. */
export async function setDefaultWorkspace(
  path: string,
  choice: { readonly apiUrl: string; readonly workspace: string },
): Promise<void> {
  const { credentials } = await loadCredentials(path);
  await writeCredentials(path, withDefaultWorkspace(credentials, choice));
}
