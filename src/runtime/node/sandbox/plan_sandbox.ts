/** @module The paths of Node's files and sockets. */
import { basename, join } from "node:path";
import type { NodeRequest, NodeView } from "./types.ts";

/** The deployment's folder in Node's own root folder. */
const DIRECTORY = "/app";

/** The only writable folder in Node's own root folder. */
export const TMP = "/tmp";

/** Folder in Node's own root folder for the platform's own files. */
export const PROGRAM = "/opt/svc";

/**
 * Names of the sockets. No files have these names; the first thread of the process replaces them
 * with the real paths when Node connects or binds.
 */
const CONTROL_SOCKET = "/run/svc/control.sock";
const SERVER_SOCKET = "/run/svc/server.sock";

/** Name of the folder for temporary files in the private folder, if there are no namespaces. */
export const TMP_FOLDER = "tmp";

/** Returns whether a folder is visible to every server that starts programs. */
export const isOfSystem = (folder: string): boolean => folder.startsWith("/usr/");

/** Determines the paths under which Node sees its files. */
export function planSandbox(request: NodeRequest): NodeView {
  const { kind, node, directory, folder, files, programs = [] } = request;
  const sockets = kind === "open"
    ? {
      controlSocket: join(folder, request.controlSocket ?? ""),
      serverSocket: join(folder, request.serverSocket ?? ""),
    }
    : { controlSocket: CONTROL_SOCKET, serverSocket: SERVER_SOCKET };
  if (kind !== "namespaces") {
    return { ...sockets, node, directory, tmp: join(folder, TMP_FOLDER), files, programs };
  }
  return {
    ...sockets,
    node: join(PROGRAM, "node"),
    directory: request.image?.workdir ?? DIRECTORY,
    tmp: TMP,
    files: files.map((file, index) => join(PROGRAM, String(index), basename(file))),
    programs: programs.map((each, index) =>
      isOfSystem(each) ? each : join(PROGRAM, "programs", String(index))
    ),
  };
}
