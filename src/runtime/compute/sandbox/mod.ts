/**
 * The kernel's sandbox around the process of a server: files, programs,
 * signals and private addresses are closed to it.
 *
 * @module
 */
export { enterSandbox } from "./enter_sandbox.ts";
export { findEscapingLink } from "./escaping_link.ts";
export { sealProcess, type SealState } from "./seal_process.ts";
export {
  missingSandbox,
  probeSandbox,
  SANDBOX_ADVICE,
  type SandboxState,
  type SandboxSupport,
} from "./sandbox_support.ts";
export { openTemporaryFolder, TEMPORARY_PLACES, type TemporaryFolder } from "./temporary_folder.ts";
