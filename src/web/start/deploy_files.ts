/** @module Deploys uploaded files. A finished site is deployed as is; a project is built first. */
import type { BlobSource } from "../../client/upload_blobs.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { Project } from "../../contract/projects.ts";
import { generateStaticManifest } from "../../manifest/mod.ts";
import type { PageApi } from "../visit/page_api.ts";
import { isProject } from "./site_files.ts";

export interface SiteFile {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

/** The environments to which files can be deployed. */
export const TARGETS = ["production", "preview"] as const;
export type Target = (typeof TARGETS)[number];

/** The branch name for previews of uploaded files. */
const PREVIEW_BRANCH = "upload";

type DeployedFiles =
  /** Nothing has been deployed, because the platform lacks content with these SHA-256 hashes. */
  | { readonly type: "missing"; readonly missing: readonly string[] }
  | { readonly type: "deployed"; readonly id: string };

/**
 * Deploys a list of files. Content that the platform does not have comes from `contents`. If the
 * browser has sent only the list, returns the hashes of the missing content instead.
 *
 * @throws {Failure} if the API returns an error, or if the files are neither a site nor a project
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
  const needsBuild = isProject(files);
  const params = { project: project.id };
  const branch = target === "production" ? project.branch : PREVIEW_BRANCH;
  const site = {
    environment: target,
    branch,
    message,
    manifest: generateStaticManifest(),
    files: files.map(({ path, sha256, size }) => ({ path, sha256, size })),
  };
  const { missing } = await api.call(endpoints.checkDeployment, { params, body: site });
  if (missing.length > 0) {
    if (contents === undefined) return { type: "missing", missing };
    const wanted = new Set(missing);
    await api.upload(contents.filter(({ sha256 }) => wanted.delete(sha256)));
  }
  if (needsBuild) {
    const body = { branch, message, files: site.files };
    const { id } = await api.call(endpoints.buildSources, { params, body });
    return { type: "deployed", id };
  }
  const { deployment: { id } } = await api.call(endpoints.createDeployment, {
    params,
    body: site,
  });
  await api.call(endpoints.activateDeployment, { params: { deployment: id } });
  return { type: "deployed", id };
}
