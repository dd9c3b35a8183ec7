/**
 * Finds, bundles and seals functions, and bundles servers into one module.
 *
 * @module
 */
export { bundleFunctions } from "./bundle_functions.ts";
export { bundleServerEntry, type ServerBundle, type ServerBundleResult } from "./bundle_server.ts";
export { compileServerEntry, needsCompiling } from "./compile_server.ts";
export type { NodeNeed } from "./node_needs.ts";
export { findFunctions } from "./find_functions.ts";
export { FUNCTION_NAME, MAX_FUNCTIONS } from "./limits.ts";
export { type Trace, type TracedFile, traceServer } from "./trace_server.ts";
export { type SealedFunction, sealFunction } from "./seal_function.ts";
export type { EditModule } from "./server_modules.ts";
