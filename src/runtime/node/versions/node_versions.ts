/**
 * @module Manages the versions of Node for servers: the machine's own version, and versions that
 * are downloaded once.
 */
import { join } from "node:path";
import { namesIn, removeTree } from "../../../lib/missing_files.ts";
import type { Environment } from "../../../lib/network_variables.ts";
import { formatBytes } from "../../../lib/format.ts";
import { SingleFlight } from "../../../lib/single_flight.ts";
import { findNode, versionOf } from "./find_node.ts";
import {
  binaryIn,
  installNode,
  type InstallOptions,
  NodeInstallError,
  NodeVersionError,
} from "./install_node.ts";
import { DEFAULT_NODE_VERSION, refuseVersion, satisfies } from "./version.ts";

/** Folder for versions that are being fetched. It is emptied before its first use. */
const INCOMING = "incoming";

/** Folder, next to a fetched version, that contains an empty file for each user. */
const USERS = "users";

/** The name of a version's folder. */
const VERSION = /^\d+(\.\d+){0,2}$/;

interface NodeVersionsOptions {
  /** Folder that contains the fetched versions. */
  readonly folder: string;
  /** The platform's own environment. */
  readonly env: Environment;
  /** Fetches a version. By default, npm is used. */
  readonly install?: (options: InstallOptions) => Promise<void>;
}

export class NodeVersions {
  readonly #flights = new SingleFlight<string>();
  /** The users that have requested a version since startup. */
  readonly #users = new Map<string, Set<string>>();
  #prepared: Promise<void> | undefined;

  readonly #options: NodeVersionsOptions;

  constructor(options: NodeVersionsOptions) {
    this.#options = options;
  }

  /**
   * Returns the absolute path of a Node binary with the given version, or with a version that
   * starts with the given numbers. Fetches the binary if it is missing. Concurrent requests share
   * one fetch. Keeps the files while their user needs them.
   *
   * @throws NodeVersionError for a version that servers do not run on
   * @throws NodeInstallError if it cannot be fetched
   */
  async binary(
    { version = DEFAULT_NODE_VERSION, user, say = () => {} }: {
      readonly version?: string | undefined;
      /**
       * Name of the version's user. It must be a valid file name. `sweep()` asks whether this user
       * still exists.
       */
      readonly user: string;
      /** Called with a message when a fetch starts, and with another when it has finished. */
      readonly say?: (message: string) => void;
    },
  ): Promise<string> {
    const users = this.#users.get(version) ?? new Set();
    this.#users.set(version, users.add(user));
    const binary = await this.#flights.run(version, () => this.#find(version, say));
    const folder = join(this.#options.folder, version);
    if (binary === binaryIn(folder)) await this.#note(folder, user);
    return binary;
  }

  /** Returns the installed versions. */
  async list(): Promise<readonly string[]> {
    return (await namesIn(this.#options.folder)).filter((name) => VERSION.test(name));
  }

  /** Removes installed versions that are no longer needed. */
  async sweep(isNeeded: (user: string) => boolean): Promise<void> {
    for (const version of await this.list()) {
      const users = [...this.#users.get(version) ?? [], ...await this.#noted(version)];
      if (!users.some(isNeeded)) await this.#flights.run(version, () => this.#remove(version));
    }
  }

  /** Records a version's user on disk, for `sweep()` after the next start. */
  async #note(folder: string, user: string): Promise<void> {
    const users = join(folder, USERS);
    await Deno.mkdir(users, { recursive: true });
    await Deno.writeTextFile(join(users, user), "");
  }

  async #noted(version: string): Promise<readonly string[]> {
    return await namesIn(join(this.#options.folder, version, USERS));
  }

  async #find(wanted: string, say: (message: string) => void): Promise<string> {
    const refusal = refuseVersion(wanted);
    if (refusal !== undefined) throw new NodeVersionError(refusal);
    const folder = join(this.#options.folder, wanted);
    const kept = binaryIn(folder);
    if (await isFile(kept)) return kept;
    const own = await findNode(this.#options.env.PATH ?? "");
    if (own !== undefined && satisfies(own.version, wanted)) return own.path;
    const reason = own === undefined ? "has none" : `has ${own.version}`;
    say(`Downloading Node ${wanted} from npm: the platform's search path ${reason}`);
    const begun = performance.now();
    await this.#fetch(wanted, folder);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const { size } = await Deno.stat(kept);
    say(`Downloaded Node ${await versionOf(kept)} in ${seconds} s, ${formatBytes(size)}`);
    return kept;
  }

  /** Fetches under a temporary name, then renames, so any version that exists is complete. */
  async #fetch(wanted: string, folder: string): Promise<void> {
    await this.#prepare();
    const { env, install = installNode } = this.#options;
    const beside = join(this.#options.folder, INCOMING, crypto.randomUUID());
    await Deno.mkdir(beside);
    try {
      await install({ version: wanted, folder: beside, env });
      const version = await versionOf(binaryIn(beside));
      if (version === undefined || !satisfies(version, wanted)) {
        const what = version === undefined ? "does not run here" : `is ${version}`;
        throw new NodeInstallError(wanted, `the package content ${what}`);
      }
      await removeTree(folder);
      await Deno.rename(beside, folder);
    } finally {
      await removeTree(beside);
    }
  }

  async #remove(version: string): Promise<string> {
    await this.#prepare();
    this.#users.delete(version);
    const gone = join(this.#options.folder, INCOMING, crypto.randomUUID());
    await Deno.rename(join(this.#options.folder, version), gone);
    await removeTree(gone);
    return gone;
  }

  /** Creates the folder and removes downloads left unfinished by a crash. */
  #prepare(): Promise<void> {
    return this.#prepared ??= (async () => {
      const incoming = join(this.#options.folder, INCOMING);
      await removeTree(incoming);
      await Deno.mkdir(incoming, { recursive: true });
    })();
  }
}

async function isFile(path: string): Promise<boolean> {
  return await Deno.stat(path).then(({ isFile }) => isFile, () => false);
}
