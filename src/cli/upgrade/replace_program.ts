/**
 * @module Replaces one program file with another. The file name always refers to a complete
 * program. Windows cannot replace a running file. There, the name is unused for a moment between
 * two renames, and the first rename is undone if the second fails.
 */
import { renameDurably } from "../../lib/sync_folder.ts";
import type { ProgramFiles } from "./program_files.ts";

async function linkOrCopy(from: string, to: string): Promise<void> {
  await Deno.remove(to).catch(() => {});
  try {
    await Deno.link(from, to);
  } catch {
    // The file system does not support hard links.
    await Deno.copyFile(from, to);
  }
}

async function renameBoth(
  { program, previous }: ProgramFiles,
  incoming: string,
): Promise<void> {
  // A running program cannot be removed, but it can be renamed.
  await Deno.remove(previous).catch(async () => {
    await Deno.rename(previous, `${previous}.${crypto.randomUUID()}`).catch(() => {});
  });
  await Deno.rename(program, previous);
  try {
    await Deno.rename(incoming, program);
  } catch (error) {
    await Deno.rename(previous, program);
    throw error;
  }
}

/** Replaces the program with `incoming`, and keeps the old program as the previous version. */
export async function replaceProgram(
  files: ProgramFiles,
  os: typeof Deno.build.os = Deno.build.os,
): Promise<void> {
  const { program, previous, incoming } = files;
  if (os === "windows") return await renameBoth(files, incoming);
  await linkOrCopy(program, previous);
  await renameDurably(incoming, program);
}

export async function exchangePrograms(
  files: ProgramFiles,
  os: typeof Deno.build.os = Deno.build.os,
): Promise<void> {
  await Deno.remove(files.incoming).catch(() => {});
  await Deno.rename(files.previous, files.incoming);
  await replaceProgram(files, os);
}
