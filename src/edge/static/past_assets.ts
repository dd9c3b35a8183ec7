/** @module Assets of earlier production deployments, for pages that are still open in browsers. */
import { inSteps, type Steps } from "../../lib/next_turn.ts";
import type { Manifest } from "../../manifest/mod.ts";
import type { BlobReader } from "../blobs/blob_reader.ts";
import { checkOnce } from "../messages/header_list.ts";
import { isLastingAsset } from "./cache_control.ts";
import { createFileTables, SiteContent } from "./site_content.ts";
import type { SiteFile, StaticFile } from "./static_file.ts";

/** Maximum number of assets from earlier deployments, per project. The newest are kept. */
export const MAX_PAST_ASSETS = 20_000;

/** The parts of an earlier production deployment that its pages need. */
export interface PastContent {
  readonly deploymentId: string;
  /** When another deployment replaced this one, in milliseconds since the Unix epoch. */
  readonly until: number;
  readonly manifest: Manifest;
  readonly files: readonly SiteFile[];
  /** Reads the content of the files. */
  readonly blobs: BlobReader;
}

export interface PastAsset extends Pick<PastContent, "deploymentId" | "until" | "blobs"> {
  readonly file: StaticFile;
}

/**
 * Adds those assets of a deployment that no newer deployment has, but only files that the
 * deployment's own routes served.
 */
export function* addAssets(
  assets: Map<string, PastAsset>,
  { deploymentId, until, manifest, files, blobs }: PastContent,
): Steps<void> {
  const common = checkOnce([["x-svc-asset-from", deploymentId]]);
  // The tables contain only the assets, because most files of a site are not assets.
  const lasting = files.filter(({ path }) => isLastingAsset(path.replace(/\.(?:br|gz)$/, "")));
  if (lasting.length === 0) return;
  const tables = yield* createFileTables(manifest, lasting, common);
  const content = new SiteContent(manifest, tables);
  for (const { byPath } of tables.values()) {
    yield* inSteps(byPath.keys(), (path) => {
      if (assets.size >= MAX_PAST_ASSETS || assets.has(path) || !isLastingAsset(path)) return;
      const found = content.resolve("GET", path);
      if (found.type === "file") assets.set(path, { deploymentId, until, blobs, file: found.file });
    });
  }
}
