/**
 * @module Serves the picture of a project's site, which the overview shows on the project's tile.
 */
import { endpoints } from "../../contract/endpoints.ts";
import type { Project } from "../../contract/projects.ts";
import { type BoardServices, openBoard } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import type { BlobVault } from "../../platform/core/store/mod.ts";
import {
  type DeploymentRecord,
  type DeploymentStore,
  readContent,
} from "../../platform/deployments/mod.ts";
import {
  letterPicture,
  MAX_PICTURE,
  MAX_START_PAGE,
  picturePaths,
  pictureType,
} from "./site_picture.ts";

export interface PictureServices extends BoardServices {
  readonly deployments: Pick<DeploymentStore, "find">;
  readonly vault: BlobVault;
}

interface Picture {
  readonly type: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
}

/** Reads the picture from a deployment's files; `undefined` if there is none. */
async function readPicture(
  vault: BlobVault,
  { workspaceId, contentSha }: DeploymentRecord,
): Promise<Picture | undefined> {
  if (contentSha === null) return undefined;
  const blobs = vault.of(workspaceId);
  const { manifest, files } = await readContent(blobs, contentSha);
  const folders = manifest.layers.flatMap((layer) =>
    layer.target === "STATIC" ? [layer.directory === "." ? "" : `${layer.directory}/`] : []
  );
  const find = (path: string, most: number) => {
    const places = new Set(folders.map((folder) => folder + path));
    return files.find((file) => places.has(file.path) && file.size <= most);
  };
  const start = find("index.html", MAX_START_PAGE);
  const html = start === undefined ? "" : new TextDecoder().decode(await blobs.read(start.sha256));
  for (const path of picturePaths(html)) {
    const file = find(path, MAX_PICTURE);
    if (file === undefined) continue;
    const content = await blobs.read(file.sha256);
    const type = pictureType(content);
    if (type !== undefined) return { type, content };
  }
  return undefined;
}

const letter = ({ displayName, name }: Project): Picture => ({
  type: "image/svg+xml",
  content: letterPicture(displayName ?? name),
});

/**
 * Sends the file with headers that prevent browsers from running scripts in it, even if someone
 * opens its URL.
 */
function answer({ type, content }: Picture): Response {
  const headers = {
    "content-type": type,
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "private, max-age=300",
  };
  return new Response(content, { headers });
}

export function bindPictures(bind: PageBinder, services: PictureServices): void {
  const { deployments, vault } = services;
  bind.personal("GET", "/workspaces/:slug/projects/:project/picture", async (visit) => {
    const { api } = await openBoard(visit, visit.params.slug ?? "", services);
    const params = { project: visit.params.project ?? "" };
    const project = await api.call(endpoints.getProject, { params });
    const { id, productionDeploymentId: live } = project;
    const deployment = live === null ? undefined : await deployments.find(id, live);
    // If the deployment cannot be read, the tile shows a letter. Other pages report the problem.
    const picture = deployment && await readPicture(vault, deployment).catch(() => undefined);
    return answer(picture ?? letter(project));
  });
}
