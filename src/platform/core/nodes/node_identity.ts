/** The name of a node and the ID of its data directory. Both survive restarts. @module */
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomically } from "../../../lib/atomic_file.ts";
import type { Random } from "../../../lib/clock.ts";
import { readTextFile } from "../../../lib/utf8.ts";
import { isFullDisk } from "../store/mod.ts";

/** At most 63 letters, digits, `.`, `_` and `-`, as in hostnames. */
const NODE_ID = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;

const identity = z.object({
  id: z.string().regex(NODE_ID),
  /** A random value, so every data directory has a different one. */
  home: z.string().min(1),
});
export type NodeIdentity = Readonly<z.infer<typeof identity>>;

export class NodeFileError extends Error {
  override readonly name = "NodeFileError";
}

async function readIdentity(path: string): Promise<NodeIdentity | undefined> {
  let text: string;
  try {
    text = await readTextFile(path);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return undefined;
    throw damaged(path, cause);
  }
  try {
    return identity.parse(JSON.parse(text));
  } catch (cause) {
    throw damaged(path, cause);
  }
}

function damaged(path: string, cause: unknown): NodeFileError {
  return new NodeFileError(
    `Cannot read ${path}, which stores the name of this node. Delete it and set the name with --node-id`,
    { cause },
  );
}

/**
 * Returns the identity of a data directory. Creates one if there is none.
 *
 * @param id the operator's name for the node, which replaces any other name
 * @throws {NodeFileError} if the file with the identity is damaged.
 */
export async function keepIdentity(
  dataDir: string,
  { id, random }: { readonly id: string | undefined; readonly random: Random },
): Promise<NodeIdentity> {
  const path = join(dataDir, "node.json");
  const known = await readIdentity(path);
  const kept = {
    id: id ?? known?.id ?? `node-${random(4).toHex()}`,
    home: known?.home ?? random(16).toHex(),
  };
  if (known?.id === kept.id) return kept;
  try {
    await writeFileAtomically(path, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
  } catch (error) {
    // A platform must be able to start even on a full disk.
    if (!isFullDisk(error)) throw error;
  }
  return kept;
}
