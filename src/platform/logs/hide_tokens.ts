/**
 * A deploy hook that is called on a deployment's host, by mistake or through a
 * proxy, must not leave its token in that deployment's log. Pure.
 *
 * @module
 */
import type { AccessRecord } from "../../edge/mod.ts";

const HOOKS = "/v1/hooks/";

/** The record as it may be written. */
export function hideTokens(record: AccessRecord): AccessRecord {
  const start = record.path.indexOf(HOOKS);
  if (start === -1) return record;
  return { ...record, path: `${record.path.slice(0, start + HOOKS.length)}…` };
}
