/** @module Creates a PostgreSQL cluster on disk, or finds the existing one. */
import { join } from "node:path";
import { ifMissing, removeTree } from "../../../lib/missing_files.ts";
import { ownedPrefix } from "../../../lib/owned_folders.ts";
import { runProgram } from "../../../lib/spawn_program.ts";
import { renameDurably } from "../../../lib/sync_folder.ts";
import { readTextFile } from "../../../lib/utf8.ts";
import type { ClusterOwner } from "./cluster_owner.ts";
import type { PostgresPrograms } from "./find_postgres.ts";

/** The role that the platform signs in as. */
export const ADMIN_ROLE = "svc_admin";

export interface ClusterFiles {
  readonly data: string;
  /** Path of the folder with the Unix socket. */
  readonly socket: string;
  /** File for PostgreSQL's output until it writes its own log. */
  readonly startLog: string;
}

/**
 * Maximum length of the path to a socket's folder. The limit leaves space for the socket's name
 * (unix(7) allows 108 bytes).
 */
const MAX_SOCKET_FOLDER = 80;

const PRIVATE = 0o700;

/**
 * Returns the major version of PostgreSQL that created the cluster, or `undefined` if there is
 * none.
 */
export async function clusterVersion(folder: string): Promise<number | undefined> {
  const text = await readTextFile(join(folder, "data", "PG_VERSION")).catch(ifMissing);
  return text === undefined ? undefined : Number(text.trim());
}

/** Creates the folders, and a cluster if there is none. */
export async function prepareCluster(
  folder: string,
  { programs, owner, password }: {
    readonly programs: PostgresPrograms;
    readonly owner: ClusterOwner | undefined;
    readonly password: string;
  },
): Promise<ClusterFiles> {
  await makePrivate(folder, owner);
  const files = {
    data: join(folder, "data"),
    socket: await socketFolder(folder, owner),
    startLog: join(folder, "start.log"),
  };
  if (await clusterVersion(folder) === undefined) {
    // The history of an earlier cluster is useless.
    await removeHistory(folder);
    await makeCluster(folder, { data: files.data, programs, owner, password });
  }
  return files;
}

export const historyFolder = (folder: string): string => join(folder, "history");

export async function removeHistory(folder: string): Promise<void> {
  await removeTree(historyFolder(folder));
}

/** Returns the folder for a server's Unix socket. The system limits the length of its path. */
export async function socketFolder(
  folder: string,
  owner: ClusterOwner | undefined,
): Promise<string> {
  const own = join(folder, "socket");
  if (own.length <= MAX_SOCKET_FOLDER) {
    await makePrivate(own, owner);
    return own;
  }
  const short = await Deno.makeTempDir({ prefix: await ownedPrefix("pg", folder) });
  await makePrivate(short, owner);
  return short;
}

export async function makePrivate(folder: string, owner: ClusterOwner | undefined): Promise<void> {
  await Deno.mkdir(folder, { recursive: true, mode: PRIVATE });
  if (owner !== undefined) await Deno.chown(folder, owner.uid, owner.gid);
  await Deno.chmod(folder, PRIVATE);
}

const UNFINISHED = "data.new";

/**
 * Removes files that killed platforms left behind. A killed platform's initdb may still be writing.
 */
async function removeUnfinished(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.startsWith(UNFINISHED)) continue;
    await Deno.remove(join(folder, name), { recursive: true }).catch(() => {});
  }
}

/**
 * Creates the cluster next to its final path, then renames it. The cluster is therefore either
 * complete or missing.
 */
async function makeCluster(
  folder: string,
  { data, programs, owner, password }: {
    readonly data: string;
    readonly programs: PostgresPrograms;
    readonly owner: ClusterOwner | undefined;
    readonly password: string;
  },
): Promise<void> {
  await removeUnfinished(folder);
  const unfinished = join(folder, `${UNFINISHED}${crypto.randomUUID()}`);
  const passwordFile = join(folder, "initial_password");
  await Deno.writeTextFile(passwordFile, password, { mode: 0o600 });
  try {
    if (owner !== undefined) await Deno.chown(passwordFile, owner.uid, owner.gid);
    await runAsOwner(join(programs.folder, "initdb"), {
      args: [
        `--pgdata=${unfinished}`,
        `--username=${ADMIN_ROLE}`,
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--data-checksums",
        Deno.build.os === "linux" ? "--locale=C.UTF-8" : "--no-locale",
      ],
      owner,
    });
  } finally {
    await Deno.remove(passwordFile);
  }
  await renameDurably(unfinished, data);
  await removeUnfinished(folder);
}

/** Runs a program with a limited address space, in KiB. */
const LIMIT = 'ulimit -v "$0" && exec "$@"';

/** @throws {Error} with the program's message if it fails */
export async function runAsOwner(
  program: string,
  { args, owner, addressesMb, env, signal }: {
    readonly args: readonly string[];
    readonly owner: ClusterOwner | undefined;
    /**
     * Address space for the program and for each process that it starts, in MiB. Unlimited by
     * default.
     */
    readonly addressesMb?: number;
    readonly env?: Readonly<Record<string, string>>;
    /** Stops the program when aborted. */
    readonly signal?: AbortSignal;
  },
): Promise<void> {
  const limited = addressesMb === undefined
    ? [program, ...args] as const
    : ["/bin/sh", "-c", LIMIT, String(addressesMb * 1024), program, ...args] as const;
  const { success, stdout, stderr } = await runProgram(limited[0], {
    args: limited.slice(1),
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", LANG: "C", LC_ALL: "C", ...env },
    cwd: "/",
    stdin: "null",
    signal,
    ...owner,
  });
  if (success) return;
  const said = new TextDecoder().decode(stderr).trim() || new TextDecoder().decode(stdout).trim();
  throw new Error(`${program}: ${said}`);
}
