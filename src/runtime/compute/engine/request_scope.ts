/** @module The request that the running code belongs to. */
import { AsyncLocalStorage } from "node:async_hooks";
import { DEPTH_HEADER, MAX_DEPTH } from "../wire.ts";

interface Scope {
  readonly id: string | undefined;
  /** Nesting depth of the request, as in `DEPTH_HEADER`; 0 for a visitor's request. */
  readonly depth: number;
}

const current = new AsyncLocalStorage<Scope>();

/** Runs the handler of a request in its scope. */
export function inRequest<T>(scope: Scope, run: () => T): T {
  return scope.id === undefined && scope.depth === 0 ? run() : current.run(scope, run);
}

/** Returns the ID of the request that the running code belongs to. */
export const currentRequest = (): string | undefined => current.getStore()?.id;

/** Reads `DEPTH_HEADER`, which is missing from visitors' requests. */
export const readDepth = (value: unknown): number => Number(value ?? 0) || 0;

/**
 * Returns the header field to add to a request from the running code to its own server or platform.
 */
export const depthField = (): readonly [string, string] => [
  DEPTH_HEADER,
  String((current.getStore()?.depth ?? 0) + 1),
];

/** The body of the 508 response for a server that has called itself too many times. */
export const CALLS_ITSELF = `This server has called itself ${MAX_DEPTH} times in a row.\n`;
