import assert from "node:assert/strict";
import * as runtime from "./mod.ts";

Deno.test("the room's public names", () => {
  assert.deepEqual(Object.keys(runtime).sort(), [
    "COMPUTE_PROCESS_ARGUMENT",
    "FUNCTION_NAME",
    "FUNCTION_PROCESS_ARGUMENT",
    "MAX_FUNCTIONS",
    "OutboundError",
    "ProcessPlaces",
    "SANDBOX_ADVICE",
    "SOCKET_PATH_BYTES",
    "SocketCount",
    "bundleFunctions",
    "bundleServerEntry",
    "computeProcessCommand",
    "createComputeServer",
    "createFunctionHost",
    "createOutboundFetch",
    "defaultMaxFunctionProcesses",
    "defaultMaxServers",
    "defaultSocketLimits",
    "findFunctions",
    "functionProcessCommand",
    "functionTypes",
    "isPublicAddress",
    "judgeTarget",
    "missingSandbox",
    "probeSandbox",
    "refuseInheritedDescriptors",
    "runComputeProcess",
    "runFunctionProcess",
    "sealFunction",
    "traceServer",
  ]);
});
