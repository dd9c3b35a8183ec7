/** The build sandbox, for other programs that read untrusted input. @module */
import type { SandboxOptions } from "./sandbox.ts";

export interface SandboxAccess {
  readonly options: SandboxOptions;
  /**
   * The user ID and group ID to run as, if builds have their own users. Builds never run as this
   * user.
   */
  readonly uid: number;
  /** Folder for scratch space; emptied after a crash. */
  readonly folder: string;
  /**
   * Variables that set the processes' `PATH`, and mark the processes so they can be found after a
   * crash.
   */
  readonly env: Readonly<Record<string, string>>;
}

/** `undefined` if this machine offers no suitable sandbox. */
export type OpenSandbox = () => Promise<SandboxAccess | undefined>;
