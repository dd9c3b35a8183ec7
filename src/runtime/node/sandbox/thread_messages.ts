/** @module Messages between the process's first thread and the thread that starts Node. */
import type { NodeCommand, NodeSandboxKind, NodeView, Place } from "./types.ts";

/** The thread's plan for Node. */
export interface ThreadPlan {
  readonly kind: NodeSandboxKind;
  readonly view: NodeView;
  /** An empty folder that can become the root folder. */
  readonly root: string;
  /** Files and folders that Node sees in addition to the system's. */
  readonly shown: readonly Place[];
  readonly tmpMb: number;
  /** Folder of the image that replaces this machine's system files. */
  readonly image?: string;
  /** Whether Node can start programs and processes. */
  readonly processes: boolean;
  /** Names that resolve to this machine. */
  readonly hosts: readonly string[];
  readonly uid?: number;
  /** A counter that changes while the first thread watches Node. */
  readonly beat: Int32Array<SharedArrayBuffer>;
}

export type ToThread =
  | { readonly type: "prepare"; readonly plan: ThreadPlan }
  | { readonly type: "start"; readonly command: NodeCommand }
  /** Stops Node and all of its processes. */
  | { readonly type: "end" };

export type FromThread =
  /**
   * The thread is in its sandbox; `listener` is the descriptor through which the system calls of
   * the thread and of Node are allowed or denied.
   */
  | { readonly type: "prepared"; readonly listener?: number; readonly programs: number }
  | { readonly type: "started"; readonly pid: number }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "ended"; readonly code: number; readonly signal: string | null };
