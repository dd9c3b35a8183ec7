/**
 * @module Adds the settings in `svc.toml` that concern the whole deployment to its manifest: web
 * vitals, protection, release checks, page URLs, and retention of earlier deployments.
 */
import * as z from "zod";
import { parseProjectConfig, type ProjectConfig } from "../config/project_config.ts";
import type { DatabaseSettings } from "../manifest/mod.ts";

/**
 * Returns the settings of `[db]` for deployments, without the settings for `svc dev`. Returns
 * `undefined` if there are none.
 */
function databaseSettings(
  db: ProjectConfig["db"] | undefined,
): DatabaseSettings | undefined {
  const { database: name, branch: _forDev, ...settings } = db ?? {};
  if (Object.keys(settings).length === 0) return undefined;
  return { ...settings, ...(name === undefined ? {} : { name }) };
}

/**
 * Reads the database settings from the text of a `svc.toml`, if there is one. Returns `undefined`
 * if it is invalid.
 */
export function readDatabaseSettings(
  source: string | undefined,
): { readonly settings: DatabaseSettings | undefined } | undefined {
  if (source === undefined) return { settings: undefined };
  const { config } = parseProjectConfig(source);
  return config && { settings: databaseSettings(config.db) };
}

const anyObject = z.record(z.string(), z.unknown());

/**
 * Returns the manifest with the settings from `svc.toml`, which override the manifest's own
 * settings. A manifest that is not an object is returned unchanged, because another check rejects
 * it.
 */
export function withDeclaredSettings(
  manifest: unknown,
  config:
    | Pick<ProjectConfig, "traffic" | "previews" | "blobs" | "db" | "static" | "skew" | "checks">
    | undefined,
): unknown {
  const fields = anyObject.safeParse(manifest).data;
  if (fields === undefined) return manifest;
  const vitals = config?.traffic?.vitals;
  const checks = config?.checks;
  const protection = config?.previews?.protection;
  const { spa: _inLayers, keepAssetsMs, ...urls } = config?.static ?? {};
  const maxAgeMs = config?.skew?.maxAgeMs;
  const database = databaseSettings(config?.db);
  return {
    ...fields,
    ...(vitals === undefined ? {} : { vitals }),
    ...(protection === undefined ? {} : { protection }),
    ...(checks === undefined ? {} : { checks }),
    ...(config?.blobs === undefined ? {} : { blobs: config.blobs }),
    ...(database === undefined ? {} : { database }),
    ...(Object.keys(urls).length === 0 ? {} : {
      urls: { ...anyObject.safeParse(fields.urls).data, ...urls },
    }),
    ...(keepAssetsMs === undefined ? {} : { keepAssetsSeconds: keepAssetsMs / 1000 }),
    ...(maxAgeMs === undefined ? {} : { skewSeconds: maxAgeMs / 1000 }),
  };
}
