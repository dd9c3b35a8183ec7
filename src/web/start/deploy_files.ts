/** @module Builds and deploys uploaded files. */
import type { BlobSource } from "../../client/upload_blobs.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { Project } from "../../contract/projects.ts";
import { generateStaticManifest } from "../../manifest/mod.ts";
import type { PageApi } from "../visit/page_api.ts";

export interface SiteFile {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

/** The environments to which files can be deployed. */
export const TARGETS = ["production", "preview"] as const;
export type Target = (typeof TARGETS)[number];

/** The branch name for previews of uploaded files, and one if that is the production branch. */
const [PREVIEW_BRANCH, OTHER_BRANCH] = ["upload", "upload-preview"];

type DeployedFiles =
  /** Nothing has been deployed, because the platform lacks content with these SHA-256 hashes. */
  | { readonly type: "missing"; readonly missing: readonly string[] }
  | { readonly type: "deployed"; readonly id: string };

/**
 * Deploys a list of files. Content that the platform does not have comes from `contents`. If the
 * browser has sent only the list, returns the hashes of the missing content instead.
 *
 * @throws {Failure} if the API returns an error
 */
export async function deployFiles(
  api: PageApi,
  project: Project,
  upload: {
    readonly files: readonly SiteFile[];
    readonly contents?: readonly BlobSource[] | undefined;
    readonly target: Target;
    readonly message: string;
  },
): Promise<DeployedFiles> {
  const { files, contents, target, message } = upload;
  const params = { project: project.id };
  const preview = project.branch === PREVIEW_BRANCH ? OTHER_BRANCH : PREVIEW_BRANCH;
  const branch = target === "production" ? project.branch : preview;
  const listed = files.map(({ path, sha256, size }) => ({ path, sha256, size }));
  const { missing } = await api.call(endpoints.checkDeployment, {
    params,
    body: { environment: target, branch, manifest: generateStaticManifest(), files: listed },
  });
  if (missing.length > 0) {
    if (contents === undefined) return { type: "missing", missing };
    const wanted = new Set(missing);
    await api.upload(contents.filter(({ sha256 }) => wanted.delete(sha256)));
  }
  const { id } = await api.call(endpoints.buildSources, {
    params,
    body: { branch, message, files: listed },
  });
  return { type: "deployed", id };
}
