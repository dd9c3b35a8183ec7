import assert from "node:assert/strict";
import * as manifest from "./mod.ts";

Deno.test("mod.ts exports what other rooms rely on, and no more", () => {
  assert.deepEqual(Object.keys(manifest).sort(), [
    "DEFAULT_IMAGE_QUALITIES",
    "DEFAULT_IMAGE_SIZES",
    "FRAMEWORKS",
    "HASHED_FOLDERS",
    "LINKS_PATH",
    "MANIFEST_PATH",
    "MANIFEST_REFERENCE",
    "MAX_MANIFEST_BYTES",
    "OutputFileSet",
    "createRouteTable",
    "detectProject",
    "findBuilt",
    "findFramework",
    "findOutput",
    "formatManifestProblems",
    "generateManifest",
    "generateStaticManifest",
    "imageSettingsOfNext",
    "isMember",
    "manifestJsonSchema",
    "memberBases",
    "mergeImageSettings",
    "outputFilesOf",
    "parseManifestJson",
    "parsePackageFacts",
    "parseRelativePath",
    "runScript",
    "runtimeSettings",
    "usualVersion",
    "validateManifest",
    "walkOutput",
    "workspacePatterns",
  ]);
});
