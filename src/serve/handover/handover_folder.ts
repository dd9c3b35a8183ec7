/**
 * The folder with the two sockets for a successor. A file in the data directory contains the
 * folder's path.
 * @module
 */
import { basename, join } from "node:path";
import * as z from "zod";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { removeTree } from "../../lib/missing_files.ts";
import { readTextFile } from "../../lib/utf8.ts";

/** Maximum length of a Unix socket's path, in bytes, without the terminating zero (unix(7)). */
const MAX_SOCKET_PATH = 107;

const FILE = "handover.json";
const PREFIX = "svc-handover-";

const fileSchema = z.object({ socket: z.string().min(1).max(4096) });

export interface HandoverFolder {
  /** Socket that a successor connects to. */
  readonly control: string;
  /** Socket for the requests that a predecessor passes on. */
  readonly requests: string;
  /** Writes the file that tells successors where the socket is. */
  publish(): Promise<void>;
  /**
   * Removes only the folder. The file shows that a platform exists until another platform
   * overwrites it.
   */
  leave(): Promise<void>;
  /** Removes the folder and the file. */
  remove(): Promise<void>;
}

/** Returns the socket that is recorded in the data directory, or `undefined` if there is none. */
export async function findControl(dataDir: string): Promise<string | undefined> {
  try {
    const file = fileSchema.safeParse(JSON.parse(await readTextFile(join(dataDir, FILE))));
    return file.data?.socket;
  } catch {
    return undefined;
  }
}

/** Removes a folder that a crash has left behind. */
async function removeLeft(dataDir: string): Promise<void> {
  const left = await findControl(dataDir);
  if (left === undefined) return;
  const folder = join(left, "..");
  if (basename(folder).startsWith(PREFIX)) await removeTree(folder);
}

/**
 * Creates a private folder for sockets, with a short path. The caller must hold the data
 * directory's lock.
 */
export async function makeHandoverFolder(dataDir: string): Promise<HandoverFolder> {
  await removeLeft(dataDir);
  const inside = await Deno.makeTempDir({ dir: await Deno.realPath(dataDir), prefix: PREFIX });
  const isShort = new TextEncoder().encode(join(inside, "requests")).length <= MAX_SOCKET_PATH;
  let folder = inside;
  if (!isShort) {
    await removeTree(inside);
    folder = await Deno.makeTempDir({ prefix: PREFIX });
  }
  const control = join(folder, "control");
  const file = join(dataDir, FILE);
  return {
    control,
    requests: join(folder, "requests"),
    publish: () =>
      writeFileAtomically(file, `${JSON.stringify({ socket: control })}\n`, { mode: 0o600 }),
    leave: () => removeTree(folder),
    async remove() {
      if (await findControl(dataDir) === control) await removeTree(file);
      await removeTree(folder);
    },
  };
}
