/**
 * @module Inputs and results of the sandbox around Node. All of this runs in a server's process,
 * which itself runs no project code.
 */
import type { LocalRoute, Peer } from "../../kernel/local_routes.ts";
import type { SandboxState } from "../../compute/sandbox/sandbox_support.ts";
import type { OwnAddress } from "./own_ports.ts";

/**
 * - `namespaces`: a separate root folder, processes and network, plus Landlock and seccomp;
 * - `kernel`: Landlock and seccomp only, if the system has no namespaces;
 * - `open`: no sandbox, because the operator allowed that.
 */
export type NodeSandboxKind = "namespaces" | "kernel" | "open";

export interface NodeSandbox extends SandboxState {
  readonly kind: NodeSandboxKind;
}

/** A file or folder: its path on this machine, and the path that Node sees. */
export interface Place {
  readonly from: string;
  readonly to: string;
}

/** The root file system of an image. */
interface ImageRoot {
  /** The image's folder on this machine. Links in the folder stay inside it. */
  readonly root: string;
  /** Folder in the image where its program starts. */
  readonly workdir: string;
}

/** Files and folders to expose to Node, by their paths on this machine. */
export interface NodeRequest {
  readonly kind: NodeSandboxKind;
  readonly node: string;
  /** Real path of the deployment's folder. */
  readonly directory: string;
  /** Private folder of the process, for its sockets. */
  readonly folder: string;
  /** Name of the socket in `folder` on which the process listens for Node. */
  readonly controlSocket?: string;
  /** Name of the socket in `folder` on which Node must listen. */
  readonly serverSocket?: string;
  /** Called when Node listens on a port. If this is missing, listening is forbidden. */
  readonly listens?: (port: number, at: OwnAddress) => void;
  /** Additional files that Node can read, such as the module that it loads first. */
  readonly files: readonly string[];
  /** Folders with programs that Node can start; none by default. */
  readonly programs?: readonly string[];
  /** Folders of toolchains, which Node sees at their real paths; none if missing. */
  readonly toolchains?: readonly string[];
  /** True if Node can start programs and processes; false if missing. */
  readonly processes?: boolean;
  /** The image that Node starts in, instead of this machine's system. */
  readonly image?: ImageRoot;
  /** Names that resolve to this machine; by default, only the machine's own names. */
  readonly hosts?: readonly string[];
}

/** The same files and folders, by the paths that Node sees. */
export interface NodeView {
  readonly node: string;
  /** The deployment's folder, in which Node starts. */
  readonly directory: string;
  /** The only folder that Node can write to. */
  readonly tmp: string;
  /** The socket that connects Node to the process. */
  readonly controlSocket: string;
  /** The only address where Node can listen. */
  readonly serverSocket: string;
  /** The additional files, in the order of the request. */
  readonly files: readonly string[];
  /** The folders with programs, in the order of the request. */
  readonly programs: readonly string[];
}

/** How to run Node. */
export interface NodeCommand {
  /** Absolute path of the program; by default, Node itself. */
  readonly program?: string;
  /** Node's arguments, with paths as Node sees them. */
  readonly args: readonly string[];
  /** Node's complete environment, except `TMPDIR`, `TMP` and `TEMP`. */
  readonly env: Readonly<Record<string, string>>;
}

export interface NodeLaunch extends Omit<NodeRequest, "kind"> {
  /** Called once the kind of sandbox is known, which determines the paths of Node's files. */
  readonly command: (view: NodeView) => NodeCommand;
  /** Size of the folder for temporary files, in MiB. */
  readonly tmpMb: number;
  /** Maximum resident memory of Node, in MiB. If Node uses more, it is stopped. */
  readonly memoryMb: number;
  /** True to allow private, local and reserved addresses. */
  readonly allowPrivate: boolean;
  /** Ports on private addresses that Node can still reach. */
  readonly peers: readonly Peer[];
  /** Ports on the loopback address that are redirected. */
  readonly routes: readonly LocalRoute[];
  /** Called with the source port of a connection to an announced route. */
  readonly announce: (port: number) => void;
  /** Whether to run Node even if the kernel offers no sandbox. */
  readonly allowUnsandboxed: boolean;
  /** The only kind of sandbox to try; by default, the best one that works. */
  readonly only?: NodeSandboxKind;
}

/**
 * How Node exited: it used too much `memory` or `disk`, `kill()` stopped it, or it exited by
 * itself.
 */
export interface NodeEnd {
  readonly reason: "memory" | "disk" | "killed" | "exited";
  /** Text for the log, as in "Node has stopped with code 1". */
  readonly message: string;
  readonly code: number;
  readonly signal: string | null;
}

/** A running Node. Its output goes to standard output and error of the process itself. */
export interface RunningNode {
  /** Node's process ID, as the server's process sees it. */
  readonly pid: number;
  readonly sandbox: NodeSandbox;
  /** Never rejects. */
  readonly ended: Promise<NodeEnd>;
  /** Resident memory in bytes; 0 once Node has exited. */
  residentBytes(): number;
  /** Sends SIGTERM, which Node's own code can handle. */
  terminate(): void;
  /** Kills Node immediately. */
  kill(): void;
}

/** An error if Node did not start or its sandbox is incomplete. The message is for the operator. */
export class LaunchError extends Error {
  override readonly name = "LaunchError";
}
