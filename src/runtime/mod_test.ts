import assert from "node:assert/strict";
import * as runtime from "./mod.ts";

Deno.test("the room's public names", () => {
  assert.deepEqual(Object.keys(runtime).sort(), [
    "DEFAULT_FUNCTION_LIMITS",
    "FUNCTION_NAME",
    "FUNCTION_PROCESS_ARGUMENT",
    "MAX_BUNDLE_BYTES",
    "MAX_FUNCTIONS",
    "OutboundError",
    "bundleFunctions",
    "bundleServerEntry",
    "createFunctionHost",
    "createOutboundFetch",
    "dropHopByHop",
    "findFunctions",
    "functionProcessCommand",
    "functionTypes",
    "isPublicAddress",
    "runFunctionProcess",
    "sealFunction",
  ]);
});
