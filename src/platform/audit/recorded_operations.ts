/** Selects the API operations for the audit log. Pure. @module */
import type { Endpoint } from "../../contract/endpoint.ts";
import { endpoints } from "../../contract/endpoints.ts";

/**
 * Changes that no person decided to make: file uploads, steps of a deployment, and events from
 * programs.
 */
const NOT_RECORDED: ReadonlySet<string> = new Set(
  [
    "putBlob",
    "postBlobs",
    "checkDeployment",
    "migrateDeployment",
    "stageDeployment",
    "triggerEvent",
  ] satisfies (keyof typeof endpoints)[],
);

/** Operations that only read, but reveal a secret or a whole database. */
const RECORDED_READS: ReadonlySet<string> = new Set(
  ["getDatabaseConnection", "exportDatabase"] satisfies (keyof typeof endpoints)[],
);

/** The log's name for a push, which is not an API operation. */
export const PUSHED = "gitPush";

/** The log's name for exchanging a job's token for a key. */
export const EXCHANGED = "exchangeToken";

/**
 * The log's names for a deploy hook's actions, in addition to the deployment that the hook starts.
 */
export const HOOK_STOPPED = "stopPreviewByHook";
export const HOOK_REFUSED = "refuseHookCall";

const summaries: ReadonlyMap<string, string> = new Map([
  ...Object.entries(endpoints).map(([name, { summary }]) => [name, summary] as const),
  [PUSHED, "Change a branch or tag with git push"],
  [HOOK_STOPPED, "Stop a branch preview for a forge webhook"],
  [HOOK_REFUSED, "Refuse an unsigned request to a deploy hook"],
  [EXCHANGED, "Exchange a CI job's token for a key"],
]);

const recorded: ReadonlyMap<unknown, string> = new Map(
  Object.entries(endpoints).flatMap(([name, endpoint]) =>
    (endpoint.method === "GET" ? RECORDED_READS.has(name) : !NOT_RECORDED.has(name))
      ? [[endpoint, name]]
      : []
  ),
);

/** Returns the log's name for an operation, or `undefined` if the operation is not logged. */
export const recordedName = (endpoint: Endpoint): string | undefined => recorded.get(endpoint);

/** Returns the summary of an operation, or its name if this version does not have the operation. */
export const summaryOf = (action: string): string => summaries.get(action) ?? action;
