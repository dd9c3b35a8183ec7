/**
 * Credentials for private repositories: sealed, bound to their project, and never shown. A
 * credential is bound to the host of the project's git URL, so pointing the project at a different
 * host does not send the credential there.
 *
 * @module
 */
import * as z from "zod";
import { type Forge, gitCredentialsBody } from "../../contract/projects.ts";
import { type GitAddress, parseGitUrl } from "../../lib/git_url.ts";
import { sealedSecret, type SecretBox } from "../core/secrets/mod.ts";
import { keys, readAll, readRecord } from "../core/store/mod.ts";
import type { ProjectRecord } from "./project.ts";
import type { RecordStore } from "../../store/mod.ts";

/** Authenticates to a private repository. Never logged, and never on a command line. */
export type GitCredentials =
  | {
    readonly type: "https";
    readonly username: string;
    readonly token: string;
    /** The repository's forge, for reports. If missing, it is derived from the host. */
    readonly forge?: Forge | undefined;
    /** URL of the forge's API. */
    readonly apiUrl?: string | undefined;
  }
  /** A private key in OpenSSH or PEM format, without a passphrase. */
  | {
    readonly type: "ssh";
    readonly privateKey: string;
    /**
     * Lines from a `known_hosts` file. If `null`, a host's key is trusted when it is first seen.
     */
    readonly knownHosts: string | null;
  };

/** A repository that no project uses yet. */
export interface UnknownRepository {
  readonly gitUrl: string;
  readonly credentials: GitCredentials | undefined;
}

/**
 * Decrypts the credentials for a project's git URL. Returns `undefined` if the project has none for
 * that host.
 */
export type OpenGitCredentials = (project: ProjectRecord) => Promise<GitCredentials | undefined>;

const placeOf = (projectId: string): string => `git/${projectId}`;

const secretSchema = z.object({
  /** The scheme, host and port that the credentials apply to. */
  origin: z.string(),
  credentials: gitCredentialsBody,
});

export class GitCredentialStore {
  readonly #kv: RecordStore;
  readonly #box: SecretBox;

  constructor(kv: RecordStore, box: SecretBox) {
    this.#kv = kv;
    this.#box = box;
  }

  /** Stores credentials for the origin of a git URL. */
  async save(projectId: string, secret: z.output<typeof secretSchema>): Promise<void> {
    const sealed = await this.#box.seal(JSON.stringify(secret), placeOf(projectId));
    await this.#kv.set(keys.gitCredentials(projectId), sealed);
  }

  async remove(projectId: string): Promise<void> {
    await this.#kv.delete(keys.gitCredentials(projectId));
  }

  /**
   * Decrypts the credentials for a project's git URL. Returns `undefined` if the project has none
   * for that host.
   */
  readonly open = async (project: ProjectRecord): Promise<GitCredentials | undefined> => {
    const found = await readRecord(this.#kv, keys.gitCredentials(project.id), sealedSecret);
    if (found === undefined) return undefined;
    const text = await this.#box.open(found.value, placeOf(project.id));
    const { origin, credentials } = secretSchema.parse(JSON.parse(text));
    return origin === gitAddress(project.gitUrl)?.origin ? credentials : undefined;
  };

  /**
   * Reseals the credentials that are not sealed with the current key. Returns the number of
   * resealed records.
   */
  async reseal(): Promise<number> {
    let count = 0;
    for await (const { key, value } of readAll(this.#kv, keys.allGitCredentials(), sealedSecret)) {
      const renewed = await this.#box.renew(value, placeOf(String(key[1])));
      if (renewed === value) continue;
      await this.#kv.set(key, renewed);
      count++;
    }
    return count;
  }
}

/**
 * Returns the address in a git URL; `null` if there is no URL, or if it cannot be parsed, which is
 * possible in records from older versions of svc.
 */
export function gitAddress(gitUrl: string | null): GitAddress | null {
  const result = gitUrl === null ? undefined : parseGitUrl(gitUrl);
  return result?.ok === true ? result.address : null;
}

/** Returns whether credentials for one git URL must not be used for another. */
export function leavesHost(from: string | null, to: string | null): boolean {
  return gitAddress(from)?.origin !== gitAddress(to)?.origin;
}
