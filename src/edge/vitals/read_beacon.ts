/** @module Reads the web vitals beacon: a small JSON object in the body of a `POST`. */
import * as z from "zod";
import { readLimited } from "../../lib/read_limited.ts";
import { MAX_VITAL_PATH, type MeasuredVitals } from "../../traffic/mod.ts";

/** Maximum length of a body, in bytes. */
export const MAX_BEACON_BYTES = 1024;

const milliseconds = z.number().min(0).max(3_600_000);

const beacon = z.strictObject({
  p: z.string().regex(/^\/[\x21-\x7e]*$/).max(MAX_BEACON_BYTES),
  lcp: milliseconds.optional(),
  inp: milliseconds.optional(),
  cls: z.number().min(0).max(1000).optional(),
  fcp: milliseconds.optional(),
  ttfb: milliseconds.optional(),
});

interface Beacon {
  /** The path of the page, shortened if it is long. */
  readonly path: string;
  readonly vitals: MeasuredVitals;
}

/** Returns the beacon in a body, or the status of the response that rejects it. */
export async function readBeacon(
  body: ReadableStream<Uint8Array> | null,
): Promise<Beacon | 400 | 413> {
  const bytes = await readLimited(body, MAX_BEACON_BYTES);
  if (bytes === undefined) return 413;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return 400;
  }
  const { data } = beacon.safeParse(value);
  if (data === undefined) return 400;
  const { p, cls, ...times } = data;
  const vitals = cls === undefined ? times : { ...times, cls: cls * 1000 };
  return { path: p.slice(0, MAX_VITAL_PATH), vitals };
}
