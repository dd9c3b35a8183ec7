import assert from "node:assert/strict";
import * as build from "./mod.ts";

Deno.test("mod.ts exports exactly the room's public names", () => {
  assert.deepEqual(Object.keys(build).sort(), [
    "BuildError",
    "PROJECT_CONFIG_FILE",
    "RULES_FILE",
    "assembleProject",
    "buildEvent",
    "createFolderReader",
    "createLineSink",
    "detectFlavor",
    "fetchProjectManager",
    "findFunctions",
    "findImportable",
    "foretellDeploy",
    "hashFiles",
    "isLfsPointer",
    "missingSettings",
    "nodeVersion",
    "packProject",
    "readDatabaseSettings",
    "readFunctions",
    "readOptionalText",
    "runBuildProcess",
    "runCheckCommands",
    "shortList",
    "workspaceBuild",
  ]);
});
