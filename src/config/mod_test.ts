import assert from "node:assert/strict";
import * as config from "./mod.ts";

Deno.test("the room exports exactly its public names", () => {
  assert.deepEqual(Object.keys(config).sort(), [
    "CACHE_PATH",
    "CONTEXT_PATH",
    "ContextFileError",
    "CredentialsFileError",
    "PROJECT_CONFIG_FILE",
    "PROJECT_CONFIG_LIMITS",
    "PROJECT_NAME_MAX",
    "SCHEMA_COMMENT",
    "SCHEMA_PATH",
    "clearContext",
    "contextPath",
    "credentialsPath",
    "editProjectConfig",
    "findCredential",
    "findProjectRoot",
    "ignoreContext",
    "loadContext",
    "loadCredentials",
    "loadProjectConfig",
    "newProjectConfig",
    "normalizeApiUrl",
    "parseProjectConfig",
    "projectConfigJsonSchema",
    "projectConfigSchemaText",
    "readCheckoutCache",
    "removeLogin",
    "saveContext",
    "saveLogin",
    "saveProjectConfig",
    "saveProjectConfigSchema",
    "setDefaultWorkspace",
    "writeCheckoutCache",
  ]);
});
