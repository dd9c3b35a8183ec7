/**
 * @module Calls a deploy hook by its URL. The URL is a secret and appears neither in messages nor
 * in the debug output about requests.
 */
import { ApiError, UnreachableError } from "../../client/errors.ts";
import { createClient } from "../../client/client.ts";
import { getTriggeredDeployment, type TriggerAnswer, triggerAnswer } from "../../contract/hooks.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";

const HOOK_PATH = /^(.*)\/v1\/hooks\/([0-9a-f]{64})$/;
const STATUS_PATH = /^(.*)\/v1\/triggered-deployments\/([^/]+)$/;

interface TriggerRequest {
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string | undefined;
}

interface HookPlace {
  /** URL of the platform. */
  readonly baseUrl: string;
  readonly key: string;
}

function placeOf(url: string, pattern: RegExp): HookPlace | undefined {
  const parsed = URL.parse(url);
  const match = pattern.exec(parsed?.pathname ?? "");
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || match === null) return undefined;
  return { baseUrl: `${parsed.origin}${match[1]}`, key: match[2]! };
}

/** Describes the failure without words that could contain the URL. */
function explain(error: unknown): unknown {
  if (error instanceof UnreachableError) {
    return new CliError("unreachable", `Cannot reach the platform at ${error.baseUrl}`);
  }
  if (error instanceof ApiError && error.status === 401) {
    return new CliError("unauthorized", error.message, {
      hint:
        "The hook was deleted or has a new URL. Create a new URL with svc hooks regenerate <hook>",
    });
  }
  return error;
}

/** Triggers a hook, without retries. */
export async function sendTrigger(ctx: Context, request: TriggerRequest): Promise<TriggerAnswer> {
  const place = placeOf(request.url, HOOK_PATH);
  if (place === undefined) {
    throw new CliError(
      "usage",
      "Not a deploy hook URL: it looks like https://<platform>/v1/hooks/<64 hexadecimal digits>",
    );
  }
  const client = createClient({ baseUrl: place.baseUrl, fetch: ctx.fetch, signal: ctx.signal });
  try {
    const response = await client.fetchRaw({
      method: "POST",
      path: `/v1/hooks/${place.key}`,
      headers: {
        "content-type": "application/json",
        // Proxies can repeat a request when a connection closes, so each request has a key.
        "idempotency-key": request.idempotencyKey ?? crypto.randomUUID(),
      },
      body: () => JSON.stringify(request.body),
    });
    return triggerAnswer.parse(await response.json());
  } catch (error) {
    throw explain(error);
  }
}

/** Fetches the state of a triggered deployment. */
export async function askProgress(ctx: Context, statusUrl: string): Promise<TriggerAnswer> {
  const place = placeOf(statusUrl, STATUS_PATH);
  if (place === undefined) {
    throw new CliError("contract", "The platform sent an invalid status URL");
  }
  const client = createClient({ baseUrl: place.baseUrl, fetch: ctx.fetch, signal: ctx.signal });
  return await client.call(getTriggeredDeployment, { params: { ticket: place.key } });
}
