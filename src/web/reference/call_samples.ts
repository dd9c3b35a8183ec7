/** @module Writes command lines for API calls, with curl and with the CLI. */
import { CLI_SAMPLES } from "../../contract/cli_samples.ts";
import type { ReferenceOperation } from "./read_reference.ts";

const COMMANDS: ReadonlyMap<string, string> = new Map(Object.entries(CLI_SAMPLES));

/** Returns the CLI command that calls an operation; `undefined` if there is none. */
export const commandLineOf = (operationId: string): string | undefined => COMMANDS.get(operationId);

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Headers that example calls do not need. */
const OPTIONAL_HEADERS: ReadonlySet<string> = new Set([
  "Idempotency-Key",
  "Last-Event-ID",
  "X-Workspace",
]);

function bodyArguments({ operation }: ReferenceOperation): string[] {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const example = media?.example;
  if (type === undefined) return [];
  if (type === "application/json") {
    return ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(example))}`];
  }
  if (type === "application/octet-stream") {
    return [`-H ${quote(`Content-Type: ${type}`)}`, `--data-binary ${quote(String(example))}`];
  }
  const flag = type === "multipart/form-data" ? "-F" : "--data-urlencode";
  return Object.entries(example as Record<string, unknown>)
    .map(([name, value]) => `${flag} ${quote(`${name}=${value}`)}`);
}

/** Returns an example call with curl. The URL and the key come from variables. */
export function curlSample(call: ReferenceOperation): string {
  const { method, path, operation } = call;
  const parameters = operation.parameters ?? [];
  const query = new URLSearchParams();
  const headers: string[] = [];
  let filled = path;
  for (const { in: place, name, example, required = false } of parameters) {
    const value = String(example);
    if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    if (place === "query" && required) query.set(name, value);
    if (place === "header" && !OPTIONAL_HEADERS.has(name)) {
      headers.push(`-H ${quote(`${name}: ${value}`)}`);
    }
  }
  const search = query.size === 0 ? "" : `?${query}`;
  const security = operation.security ?? [];
  const credential = security.some((each) => "bearer" in each)
    ? ['-H "Authorization: Bearer $SVC_TOKEN"']
    : security.length > 0
    ? ['-b "$SESSION_COOKIE"']
    : [];
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}"$SVC_API_URL${filled}${search}"`,
    ...credential,
    ...headers,
    ...bodyArguments(call),
  ].join(" \\\n  ");
}
