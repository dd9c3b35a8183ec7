/** @module The user that a local PostgreSQL server runs as. PostgreSQL refuses to run as root. */
import { dirname } from "node:path";

/** Created by PostgreSQL's packages on Linux. */
const SYSTEM_USER = "postgres";

/** The user that the programs run as, or `undefined` for the platform's own user. */
export interface ClusterOwner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Finds the user: the platform's own, or `postgres` if that is root.
 *
 * @throws {TypeError} if the platform is root and there is no such user
 */
export function findOwner(): ClusterOwner | undefined {
  if (Deno.uid() !== 0) return undefined;
  const line = Deno.readTextFileSync("/etc/passwd").split("\n")
    .find((line) => line.startsWith(`${SYSTEM_USER}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  if (uid === undefined || gid === undefined) {
    throw new TypeError(
      `PostgreSQL does not run as root, and there is no user "${SYSTEM_USER}": ` +
        `create it (useradd --system ${SYSTEM_USER}), or run svc as another user`,
    );
  }
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * Lets the owner traverse the platform's data folder without listing its content.
 *
 * @throws {TypeError} if the owner cannot traverse a folder above it
 */
export async function letPass(dataFolder: string, owner: ClusterOwner): Promise<void> {
  if (!await mayPass(dataFolder, owner)) {
    const { mode } = await Deno.stat(dataFolder);
    await Deno.chown(dataFolder, null, owner.gid);
    await Deno.chmod(dataFolder, ((mode ?? 0o700) & 0o707) | 0o010);
  }
  for (let folder = dirname(dataFolder);; folder = dirname(folder)) {
    if (!await mayPass(folder, owner)) {
      throw new TypeError(
        `The user "${SYSTEM_USER}", which PostgreSQL runs as, cannot reach ${dataFolder}: ` +
          `it has no access to ${folder}. Use another --data-dir, such as /var/lib/svc`,
      );
    }
    if (folder === dirname(folder)) return;
  }
}

async function mayPass(folder: string, { uid, gid }: ClusterOwner): Promise<boolean> {
  const info = await Deno.stat(folder);
  const shift = info.uid === uid ? 6 : info.gid === gid ? 3 : 0;
  return (((info.mode ?? 0) >> shift) & 1) === 1;
}
