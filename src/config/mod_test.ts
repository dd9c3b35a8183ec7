import assert from "node:assert/strict";
import * as config from "./mod.ts";

Deno.test("the room exports exactly its public names", () => {
  assert.deepEqual(Object.keys(config).sort(), [
    "CredentialsFileError",
    "PROJECT_CONFIG_FILE",
    "PROJECT_CONFIG_LIMITS",
    "PROJECT_NAME_MAX",
    "SCHEMA_COMMENT",
    "SCHEMA_PATH",
    "credentialsPath",
    "editProjectConfig",
    "findCredential",
    "findProjectRoot",
    "loadCredentials",
    "loadProjectConfig",
    "newProjectConfig",
    "normalizeApiUrl",
    "parseProjectConfig",
    "projectConfigJsonSchema",
    "projectConfigSchemaText",
    "removeLogin",
    "saveLogin",
    "saveProjectConfig",
    "saveProjectConfigSchema",
    "setDefaultWorkspace",
  ]);
});
