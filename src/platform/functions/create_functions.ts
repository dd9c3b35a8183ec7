/** Wires up deployments' functions. @module */
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { ownedPrefix } from "../../lib/owned_folders.ts";
import { FunctionService, type FunctionServices } from "./function_service.ts";

export interface Functions {
  readonly functionService: FunctionService;
  readonly capability: Capability;
}

export function createFunctions(
  foundation: Pick<Foundation, "dataDir" | "functionOutbound" | "env" | "onTrouble">,
  parts: Pick<
    FunctionServices,
    "variables" | "logs" | "maxProcesses" | "kvFetchFor" | "blobs" | "databaseFetchFor"
  >,
): Functions {
  const { dataDir, functionOutbound: outbound, env, onTrouble } = foundation;
  const functionService = new FunctionService({
    outbound,
    env,
    onTrouble,
    cacheDir: dataDir.cache,
    folderPrefix: () => ownedPrefix("fn", dataDir.root),
    ...parts,
  });
  return {
    functionService,
    capability: {
      name: "functions",
      close: () => functionService.close(),
      health: () => ({ functions: functionService.describe() }),
    },
  };
}
