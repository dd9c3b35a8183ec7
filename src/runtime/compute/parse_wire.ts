/** @module Validates data from a server's process, which may come from project code. */
import * as z from "zod";
import { MAX_LOG_CHARACTERS } from "../process/frames/log_lines.ts";
import { parsePayload } from "../process/parse_payload.ts";
import type { Booted, Ending, Listening, ProcessLog } from "./wire.ts";

const message = z.string().max(MAX_LOG_CHARACTERS);

const log = z.object({
  level: z.enum(["debug", "info", "warn", "error"]),
  message,
  requestId: z.string().max(128).optional(),
});

const ending = z.object({ message });

const listening = z.object({
  greets: z.boolean().optional(),
  address: z.object({
    hostname: z.string().regex(/^127(\.\d{1,3}){3}$/),
    port: z.int().min(1).max(65535),
  }).optional(),
});

const dialled = z.object({ port: z.int().min(1).max(65_535) });

const booted = z.object({
  residentBytes: z.int().nonnegative(),
  files: z.boolean(),
  calls: z.boolean(),
  pid: z.int().positive().optional(),
  runtime: z.string().regex(/^(Deno|Node) \d{1,3}\.\d{1,4}\.\d{1,4}$/).optional(),
  reason: message.optional(),
});

/** Returns a line for the log, or `undefined` if the payload is malformed. */
export const parseLog = (payload: Uint8Array): ProcessLog | undefined => parsePayload(log, payload);

export const parseEnding = (payload: Uint8Array): Ending | undefined =>
  parsePayload(ending, payload);

/** Returns how the server listens, or the default if the payload is malformed. */
export function parseListening(
  payload: Uint8Array,
): { readonly greets: boolean; readonly address?: Listening["address"] } {
  const { greets, address } = parsePayload(listening, payload) ?? {};
  return { greets: greets === true, address };
}

/**
 * Returns the source port of a server's connection to itself, or `undefined` if the payload is
 * malformed.
 */
export const parseDialled = (payload: Uint8Array): number | undefined =>
  parsePayload(dialled, payload)?.port;

export const parseBooted = (payload: Uint8Array): Booted | undefined =>
  parsePayload(booted, payload);
