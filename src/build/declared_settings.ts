/**
 * Settings of `svc.toml` that apply to the whole deployment, in its manifest: whether visitors' web
 * vitals are measured, who may visit it, and what must pass before it goes live.
 *
 * @module
 */
import * as z from "zod";
import type { ProjectConfig } from "../config/project_config.ts";

const anyObject = z.record(z.string(), z.unknown());

/**
 * A manifest with the settings of `svc.toml`, which count before its own. A manifest that is no
 * object stays as it is: it is refused elsewhere.
 */
export function withDeclaredSettings(
  manifest: unknown,
  config: Pick<ProjectConfig, "traffic" | "previews" | "checks"> | undefined,
): unknown {
  const fields = anyObject.safeParse(manifest).data;
  if (fields === undefined) return manifest;
  const vitals = config?.traffic?.vitals;
  const checks = config?.checks;
  const protection = config?.previews?.protection;
  return {
    ...fields,
    ...(vitals === undefined ? {} : { vitals }),
    ...(protection === undefined ? {} : { protection }),
    ...(checks === undefined ? {} : { checks }),
  };
}
