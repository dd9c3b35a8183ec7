/**
 * What svc keeps in files of its own: the project's `svc.toml` (read with
 * positions, changed without losing comments), the user's credentials, the
 * environment that a checkout works with, what it remembers to be faster, and the
 * search for the project that a directory belongs to.
 *
 * @module
 */
export {
  type EnvDeclaration,
  type ParsedProjectConfig,
  parseProjectConfig,
  PROJECT_CONFIG_LIMITS,
  type ProjectConfig,
  type Visibility,
} from "./project_config.ts";
export { PROJECT_NAME_MAX } from "./field_rules.ts";
export { projectConfigJsonSchema } from "./schema.ts";
export { type LoadedProjectConfig, loadProjectConfig } from "./load_project_config.ts";
export {
  editProjectConfig,
  newProjectConfig,
  type ProjectConfigChanges,
  projectConfigSchemaText,
  saveProjectConfig,
  saveProjectConfigSchema,
  SCHEMA_COMMENT,
  SCHEMA_PATH,
} from "./edit_project_config.ts";
export { findProjectRoot, PROJECT_CONFIG_FILE, type ProjectRootOptions } from "./project_root.ts";
export { CACHE_PATH, readCheckoutCache, writeCheckoutCache } from "./checkout_cache.ts";
export {
  type CheckoutContext,
  clearContext,
  CONTEXT_PATH,
  ContextFileError,
  contextPath,
  ignoreContext,
  loadContext,
  saveContext,
} from "./context.ts";
export { normalizeApiUrl } from "./api_url.ts";
export {
  type Credential,
  type CredentialQuery,
  findCredential,
  type Login,
  type LoginRemoval,
} from "./credentials.ts";
export {
  CredentialsFileError,
  type CredentialsLocation,
  credentialsPath,
  loadCredentials,
  type LoadedCredentials,
  removeLogin,
  saveLogin,
  setDefaultWorkspace,
} from "./credentials_file.ts";
export type { Credentials } from "./credentials_schema.ts";
