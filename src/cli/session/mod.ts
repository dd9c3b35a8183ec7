/**
 * One run of the tool: its settings, logins and workspace, and the context that
 * commands get.
 *
 * @module
 */
export type { Candidate, CandidateKind, LookUp } from "./candidate.ts";
export { readCertificates } from "./certificates.ts";
export {
  type CallCommand,
  type Context,
  createContext,
  type Host,
  type TakeSignals,
} from "./context.ts";
export { openCredentialStore } from "./credential_store.ts";
export { assertWritable, showPath } from "./paths.ts";
export { DEFAULT_API_URL, type Environment, type GlobalFlags, wantsJson } from "./global_flags.ts";
export { resolveSettings, type Settings } from "./settings.ts";
export { cacheFolder, dataFolder } from "./user_folders.ts";
export { WORKSPACE_SOURCES } from "./workspace_choice.ts";
