/**
 * @module A platform's folders in `/tmp`. If the platform is killed, its next start removes them.
 */
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Number of digits that identify an owner's folders. */
const OWNER_DIGITS = 16;

async function digitsOf(owner: string): Promise<string> {
  const { dev, ino } = await Deno.stat(owner);
  const hash = createHash("sha256").update(`${dev} ${ino} ${await Deno.realPath(owner)}`);
  return hash.digest("hex").slice(0, OWNER_DIGITS);
}

/** Returns the name prefix of one kind of folder. `owner` is the locked data directory. */
export async function ownedPrefix(kind: "db" | "fn" | "im" | "pg", owner: string): Promise<string> {
  return `svc-${kind}-${await digitsOf(owner)}-`;
}

/**
 * Removes folders left behind by an earlier platform. Call this before anything starts, in the
 * process that holds the lock on the owner's data directory.
 */
export async function removeOwnedFolders(owner: string): Promise<void> {
  const isThere = await Deno.stat(owner).then(() => true, () => false);
  if (!isThere) return;
  const own = new RegExp(`^svc-[a-z]+-${await digitsOf(owner)}-`);
  for (const { name, isDirectory } of await Array.fromAsync(Deno.readDir(tmpdir()))) {
    if (!isDirectory || !own.test(name)) continue;
    await Deno.remove(join(tmpdir(), name), { recursive: true }).catch(() => {});
  }
}
