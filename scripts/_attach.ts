/**
 * Keeps large files out of the data that `deno compile` packs: moves them out of the staging
 * folder, and attaches them to the executable between the runtime and the packed data.
 * `src/lib/shipped_file.ts` reads them there.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { sha256Hex } from "../src/lib/hash.ts";
import {
  ATTACHED_INDEX,
  type AttachedIndex,
  packedBytes,
  TRAILER_BYTES,
} from "../src/lib/shipped_file.ts";

interface Taken {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Files that were moved out of a staging folder. */
type TakenFiles = readonly Taken[];

/** Moves files out of the staging folder, and writes an index of them there. */
export async function takeFiles(stage: string, paths: readonly string[]): Promise<TakenFiles> {
  const taken: Taken[] = [];
  const files: Record<string, AttachedIndex["files"][string]> = {};
  let offset = 0;
  for (const path of paths) {
    const bytes = await Deno.readFile(join(stage, path));
    files[path] = { offset, bytes: bytes.byteLength, sha256: sha256Hex(bytes) };
    offset += bytes.byteLength;
    taken.push({ path, bytes });
  }
  const index: AttachedIndex = { bytes: offset, files };
  await Deno.writeTextFile(join(stage, ATTACHED_INDEX), JSON.stringify(index));
  for (const path of paths) await Deno.remove(join(stage, path));
  return taken;
}

/** Moves files back into the staging folder, so that they are packed like the others. */
export async function putFilesBack(stage: string, taken: TakenFiles): Promise<void> {
  for (const { path, bytes } of taken) await Deno.writeFile(join(stage, path), bytes);
  await Deno.remove(join(stage, ATTACHED_INDEX));
}

/**
 * Attaches files to a compiled program. Returns false, and changes nothing, if the program does not
 * have the layout of a Linux program.
 */
export async function attachFiles(program: string, taken: TakenFiles): Promise<boolean> {
  const bytes = await Deno.readFile(program);
  const packed = bytes.byteLength < TRAILER_BYTES
    ? undefined
    : packedBytes(bytes.subarray(-TRAILER_BYTES));
  if (packed === undefined || packed > bytes.byteLength) return false;
  const start = bytes.byteLength - packed;
  const parts = [
    bytes.subarray(0, start),
    ...taken.map((each) => each.bytes),
    bytes.subarray(start),
  ];
  await Deno.writeFile(program, Buffer.concat(parts));
  return true;
}
