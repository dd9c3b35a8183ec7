/**
 * Checks what comes from a process of images, which has read foreign bytes.
 *
 * @module
 */
import * as z from "zod";
import { parsePayload } from "../process/parse_payload.ts";
import { MAX_RESULT_SIDE } from "./limits.ts";
import type { DoneHead, FailedHead, ReadyHead } from "./wire.ts";

const MAX_HEAD_BYTES = 4096;

const side = z.int().min(1).max(MAX_RESULT_SIDE);
const readyHead = z.strictObject({
  version: z.string().max(64),
  files: z.boolean(),
  network: z.boolean(),
});
const doneHead = z.strictObject({ width: side, height: side });
const failedHead = z.strictObject({
  reason: z.enum(["broken", "too_large"]),
  message: z.string().max(1000),
});

/** Each returns `undefined` for a payload of another form. */
export const parseReady = (payload: Uint8Array): ReadyHead | undefined =>
  parsePayload(readyHead, payload, MAX_HEAD_BYTES);
export const parseDone = (payload: Uint8Array): DoneHead | undefined =>
  parsePayload(doneHead, payload, MAX_HEAD_BYTES);
export const parseFailed = (payload: Uint8Array): FailedHead | undefined =>
  parsePayload(failedHead, payload, MAX_HEAD_BYTES);
