/**
 * Whether visitors' web vitals are measured, as a deployment declares it.
 *
 * @module
 */
import * as z from "zod";
import type { ProjectConfig } from "../config/project_config.ts";

const anyObject = z.record(z.string(), z.unknown());

/**
 * A manifest with what `svc.toml` says about web vitals, which counts before its own. A
 * manifest that is no object stays as it is: it is refused elsewhere.
 */
export function withVitals(
  manifest: unknown,
  config: Pick<ProjectConfig, "traffic"> | undefined,
): unknown {
  const vitals = config?.traffic?.vitals;
  const fields = anyObject.safeParse(manifest).data;
  return fields === undefined || vitals === undefined ? manifest : { ...fields, vitals };
}
