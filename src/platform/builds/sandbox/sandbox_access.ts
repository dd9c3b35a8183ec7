/**
 * The sandbox of builds, for other programs that read what is foreign.
 *
 * @module
 */
import type { SandboxOptions } from "./sandbox.ts";

export interface SandboxAccess {
  readonly options: SandboxOptions;
  /** User and group to run as, where builds have their own users; no build has it. */
  readonly uid: number;
  /** Folder for scratch space, which is emptied after a crash. */
  readonly folder: string;
  /** Marks its processes, so that they are found after a crash, and says where programs are. */
  readonly env: Readonly<Record<string, string>>;
}

/** `undefined` if this machine offers no sandbox that fits. */
export type OpenSandbox = () => Promise<SandboxAccess | undefined>;
