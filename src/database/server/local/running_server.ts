/** @module Finds the server running on a cluster's files, by its pid file. */
import { basename, join } from "node:path";
import process from "node:process";
import { readTextFile } from "../../../lib/utf8.ts";

/** How to connect to a server. */
interface ServerNote {
  readonly port: string;
  readonly socketFolder: string;
}

/** Reads the file that describes a cluster's server. Returns `undefined` if none is running. */
export async function runningServer(data: string): Promise<ServerNote | undefined> {
  const text = await readTextFile(join(data, "postmaster.pid")).catch(() => "");
  const [id, folder = "", , port = "", socketFolder = ""] = text.split("\n");
  const pid = Number(id);
  if (!(pid > 1) || !isAlive(pid) || !await mayServe(pid, folder)) return undefined;
  return { port, socketFolder };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Returns false if the process ID of a killed server now belongs to another program, for example
 * after a reboot. This can only be determined on Linux.
 */
async function mayServe(pid: number, folder: string): Promise<boolean> {
  const command = await readTextFile(`/proc/${pid}/cmdline`).catch(() => undefined);
  if (command === undefined) return true;
  const [program = "", ...args] = command.split("\0");
  return basename(program) === "postgres" && args.includes(folder);
}
