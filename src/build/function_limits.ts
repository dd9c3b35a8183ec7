/** @module The limits of a project's functions, as its deployment declares them. */
import * as z from "zod";
import type { ProjectConfig } from "../config/project_config.ts";

const anyObject = z.record(z.string(), z.unknown());

/**
 * Returns the manifest with the limits from `svc.toml`, which override the manifest's own limits. A
 * manifest that is not an object is returned unchanged, because another check rejects it.
 */
export function withFunctionLimits(
  manifest: unknown,
  config: Pick<ProjectConfig, "functions"> | undefined,
): unknown {
  const limits = config?.functions ?? {};
  const fields = anyObject.safeParse(manifest).data;
  if (fields === undefined || Object.keys(limits).length === 0) return manifest;
  const own = anyObject.safeParse(fields.functionLimits).data;
  return { ...fields, functionLimits: { ...own, ...limits } };
}
