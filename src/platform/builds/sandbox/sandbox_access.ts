/** The build sandbox, for other programs that read untrusted input. @module */
import type { SandboxOptions } from "./sandbox.ts";

export interface SandboxAccess {
  readonly options: SandboxOptions;
  /** The user and group to run as, if builds have their own users. Builds never use these. */
  readonly uid: number;
  /** Folder for scratch space; emptied after a crash. */
  readonly folder: string;
  /** Marks its processes so they can be found after a crash, and sets their `PATH`. */
  readonly env: Readonly<Record<string, string>>;
}

/** `undefined` if this machine offers no suitable sandbox. */
export type OpenSandbox = () => Promise<SandboxAccess | undefined>;
