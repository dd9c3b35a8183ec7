/**
 * Finds, bundles and seals functions, and bundles servers into one module.
 *
 * @module
 */
export { bundleFunctions, type BundleResult } from "./bundle_functions.ts";
export {
  bundleServerEntry,
  type ServerBundle,
  type ServerBundleOptions,
  type ServerBundleResult,
} from "./bundle_server.ts";
export { findFunctions, type FoundFunction, type FoundFunctions } from "./find_functions.ts";
export { FUNCTION_NAME, MAX_BUNDLE_BYTES, MAX_FUNCTIONS } from "./limits.ts";
export { type EsbuildOptions } from "./load_esbuild.ts";
export { type FunctionProblem } from "./problems.ts";
export { type SealedFunction, sealFunction, type SealResult } from "./seal_function.ts";
