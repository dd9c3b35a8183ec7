/**
 * What comes from the process of a server, checked: it passes on the word of
 * foreign code.
 *
 * @module
 */
import { z } from "zod";
import { type Booted, type Ending, MAX_MESSAGE_CHARACTERS, type ProcessLog } from "./wire.ts";

const message = z.string().max(MAX_MESSAGE_CHARACTERS);

const log = z.object({
  level: z.enum(["debug", "info", "warn", "error"]),
  message,
  requestId: z.string().max(128).optional(),
});

const ending = z.object({ message });

const booted = z.object({
  residentBytes: z.int().nonnegative(),
  files: z.boolean(),
  calls: z.boolean(),
  reason: message.optional(),
});

const decoder = new TextDecoder();

function parse<T>(schema: z.ZodType<T>, payload: Uint8Array): T | undefined {
  try {
    return schema.safeParse(JSON.parse(decoder.decode(payload))).data;
  } catch {
    return undefined;
  }
}

/** A line for the log; `undefined` where it is malformed. */
export const parseLog = (payload: Uint8Array): ProcessLog | undefined => parse(log, payload);

export const parseEnding = (payload: Uint8Array): Ending | undefined => parse(ending, payload);

export const parseBooted = (payload: Uint8Array): Booted | undefined => parse(booted, payload);
