/** @module Tries the sandbox that Node would get, without starting Node. */
import { join } from "node:path";
import { openLibc } from "../../kernel/libc.ts";
import { prepareThread } from "./prepare_thread.ts";
import { Thread } from "./thread.ts";
import { LaunchError, type NodeSandboxKind } from "./types.ts";

/** The sandbox that Node gets here. */
export interface FoundKind {
  /** The kind of sandbox; `null` if none works, which means that Node cannot start. */
  readonly kind: Exclude<NodeSandboxKind, "open"> | null;
  /** The reason why the best sandbox is unavailable; missing if it is available. */
  readonly reason?: string;
}

/**
 * Determines which sandbox works by putting a thread of this process into it. The process cannot be
 * used afterwards.
 *
 * @param folder An empty folder.
 */
export async function probeKind(folder: string): Promise<FoundKind> {
  const directory = join(folder, "app");
  await Deno.mkdir(directory);
  try {
    const { plan: { kind }, reason } = await prepareThread(openLibc(), {
      node: Deno.execPath(),
      directory,
      folder,
      files: [],
      tmpMb: 1,
      controlSocket: "c",
      serverSocket: "s",
      allowUnsandboxed: false,
    }, new Thread());
    const found = { kind: kind === "open" ? null : kind };
    return reason === undefined ? found : { ...found, reason };
  } catch (error) {
    if (error instanceof LaunchError) return { kind: null, reason: error.message };
    throw error;
  }
}
