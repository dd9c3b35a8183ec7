/**
 * Runs servers that are any program: the toolchains of this machine that they may use,
 * and the process that starts one in the sandbox.
 *
 * @module
 */
export { commandProcessCommand } from "./process_command.ts";
export {
  findToolchains,
  type FoundToolchain,
  type Toolchain,
  toolchainPlaces,
  TOOLCHAINS,
} from "./toolchains.ts";
