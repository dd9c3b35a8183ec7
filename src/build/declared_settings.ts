/**
 * Settings of `svc.toml` that apply to the whole deployment, in its manifest: whether visitors' web
 * vitals are measured, who may visit it, what must pass before it goes live, and which URLs its
 * pages have.
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
  config: Pick<ProjectConfig, "traffic" | "previews" | "checks" | "static"> | undefined,
): unknown {
  const fields = anyObject.safeParse(manifest).data;
  if (fields === undefined) return manifest;
  const vitals = config?.traffic?.vitals;
  const checks = config?.checks;
  const protection = config?.previews?.protection;
  const { spa: _inLayers, ...urls } = config?.static ?? {};
  return {
    ...fields,
    ...(vitals === undefined ? {} : { vitals }),
    ...(protection === undefined ? {} : { protection }),
    ...(checks === undefined ? {} : { checks }),
    ...(Object.keys(urls).length === 0 ? {} : {
      urls: { ...anyObject.safeParse(fields.urls).data, ...urls },
    }),
  };
}
