/**
 * Calls the API of a sandbox's platform in the form that helpers for test platforms expect.
 *
 * @module
 */
import type { LedgerPlatform } from "./ledger.ts";
import type { ApiCaller } from "./platform.ts";
import { type Sandbox, TOKEN } from "./sandbox.ts";

/** Returns the API of the platform that is currently running in the sandbox. */
export function callerOf(box: Sandbox): LedgerPlatform {
  const api: ApiCaller["api"] = async (method, path, { token, json, body, headers } = {}) => {
    const response = await fetch(`${box.platform!.url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token ?? TOKEN}` }),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(json === undefined ? body === undefined ? {} : { body } : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      json: text === "" ? undefined : JSON.parse(text),
    };
  };
  return {
    api,
    get port() {
      return box.platform!.port;
    },
  };
}
