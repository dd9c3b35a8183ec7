/**
 * Runs servers that are any program: the toolchains of this machine that they may use,
 * and the process that starts one in the sandbox.
 *
 * @module
 */
export { commandProcessCommand } from "./process_command.ts";
export { findToolchains, type FoundToolchain } from "./find_toolchains.ts";
export { toolchainPlaces } from "./toolchain_places.ts";
export { type Toolchain, TOOLCHAINS } from "./toolchains.ts";
