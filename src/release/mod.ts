/** @module Releases of the program: their manifest, its signature, and downloads. */
export { downloadProgram } from "./download_program.ts";
export { findRelease, type ReleasePlace } from "./find_release.ts";
export {
  MANIFEST_SCHEMA,
  programFor,
  type Release,
  type ReleaseProgram,
  releaseSchema,
  tagOf,
  versionOfTag,
} from "./manifest.ts";
export { BUILT_IN_PLACE, MANIFEST_FILE, SIGNATURE_SUFFIX } from "./place.ts";
export { ReleaseError } from "./release_error.ts";
export { isSigned, publicKeyOf, sign } from "./signature.ts";
export { TRUSTED_KEYS } from "./trusted_keys.ts";
