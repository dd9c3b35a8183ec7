/** @module Tools for agents that deploy a site without a folder. The call contains the files. */
import { Buffer } from "node:buffer";
import * as z from "zod";
import { type BlobSource, uploadBlobs } from "../../client/upload_blobs.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { filePath } from "../../contract/deployment_files.ts";
import { projectName } from "../../contract/common.ts";
import { ENV_FILE } from "../../lib/env_files.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { findSecret, isConfiguration } from "../../lib/private_files.ts";
import { generateStaticManifest } from "../../manifest/mod.ts";
import { anyObject, defineTool, projectInput, ToolFailure } from "../tool.ts";

/** The branch name for previews. */
const PREVIEW_BRANCH = "upload";
/** Maximum number of files per call. The message size limits the size of the files. */
const MAX_FILES = 200;
/** Maximum size of a file, in characters. */
const MAX_FILE_CHARACTERS = 256 * 1024;

const file = z.strictObject({
  path: filePath.describe("Path below the site's root, such as index.html"),
  text: z.string().max(MAX_FILE_CHARACTERS).optional(),
  base64: z.base64().max(MAX_FILE_CHARACTERS).optional().describe(
    "Content in base64, instead of text",
  ),
});
type GivenFile = z.infer<typeof file>;

interface SiteFile extends BlobSource {
  readonly path: string;
}

/** Files with settings or secrets. They are never pages of a site. */
const NO_PAGE = new RegExp(
  String
    .raw`^(?:svc(?:\.[\w.-]+)?\.toml|\.svc/.*|(?:.*/)?(?:${ENV_FILE}|_headers|_redirects|\.git/.*))$`,
);

function refuse(error: string, path: string, hint: string): ToolFailure {
  return new ToolFailure({ error, code: "usage", problems: [{ path, message: hint }] });
}

/** @throws {ToolFailure} if a file configures a host or a build, or looks like a secret */
function refusePrivate(path: string, content: Uint8Array): void {
  const head = (bytes: number) => Buffer.from(content.subarray(0, bytes)).toString("latin1");
  const secret = findSecret({ path, size: content.byteLength, head });
  if (secret === undefined && !isConfiguration(path)) return;
  const what = secret === undefined ? "configures a host or a build" : `looks like ${secret}`;
  const hint = "Omit it: visitors can read every file in this call";
  throw refuse(`Cannot publish ${path}: it ${what}`, path, hint);
}

/**
 * @throws {ToolFailure} if a file has no content or two contents, is listed twice, or contains
 * settings or secrets
 */
function readFiles(given: readonly GivenFile[]): SiteFile[] {
  const seen = new Set<string>();
  return given.map(({ path, text, base64 }) => {
    if ((text === undefined) === (base64 === undefined)) {
      throw refuse(`Cannot read the content of ${path}`, path, "Use either text or base64");
    }
    if (seen.has(path)) throw refuse(`${path} appears twice`, path, "List each path once");
    seen.add(path);
    if (NO_PAGE.test(path)) {
      const hint = "Omit it: visitors can read every file in this call";
      throw refuse(`Cannot publish ${path}: it contains settings or secrets`, path, hint);
    }
    const content = new Uint8Array(
      Buffer.from(text ?? base64!, text === undefined ? "base64" : "utf8"),
    );
    refusePrivate(path, content);
    return { path, content, sha256: sha256Hex(content), size: content.byteLength };
  });
}

const sameBlobOnce = (files: readonly SiteFile[], missing: readonly string[]): SiteFile[] => {
  const wanted = new Set(missing);
  return files.filter(({ sha256 }) => wanted.delete(sha256));
};

export const deployFiles = defineTool({
  name: "deploy_files",
  title: "Deploy files",
  description:
    "Deploys a static site from the files in the call to a preview with its own URL, or to production. Pass all files each time. Nothing is built: for sites with a build, forms or functions, run `svc mcp` in their folder.",
  input: {
    ...projectInput,
    files: z.array(file).min(1).max(MAX_FILES),
    production: z.boolean().default(false).describe("Deploy to production"),
    message: z.string().max(200).optional(),
  },
  output: { id: z.string(), status: z.string(), url: z.string() },
  effect: "destroy",
  async run({ project: given, files: sent, production, message }, around) {
    const files = readFiles(sent);
    const { api, project } = await around.open(given);
    const { deployment: { id }, missing } = await api.call(endpoints.createDeployment, {
      params: { project: project.id },
      body: {
        environment: production ? "production" : "preview",
        branch: production ? project.branch : PREVIEW_BRANCH,
        manifest: generateStaticManifest(),
        files: files.map(({ path, sha256, size }) => ({ path, sha256, size })),
        message,
      },
    });
    await uploadBlobs(api, sameBlobOnce(files, missing), { deployment: id });
    const { status, url, urls } = await api.call(endpoints.activateDeployment, {
      params: { deployment: id },
      body: {},
    });
    const named = { project: project.name };
    return {
      text: `${status}: ${url}\nDeployment ${id}`,
      data: { id, status, url, urls },
      next: production
        ? [{ tool: "rollback", arguments: named, why: "to undo it" }]
        : [{ tool: "promote", arguments: { deployment: id }, why: "to promote it to production" }],
    };
  },
});

/** A site with a single page, used as the example of a call. */
export const FIRST_FILES = [{ path: "index.html", text: "<!doctype html><title>Hello</title>" }];

export const makeProject = defineTool({
  name: "create_project",
  title: "Create an empty project",
  description: "Creates an empty project on the platform.",
  input: { name: projectName },
  output: { name: z.string(), project: anyObject },
  effect: "write",
  leavesProject: true,
  async run({ name }, around) {
    const api = await around.api();
    const project = await api.call(endpoints.createProject, { body: { name } });
    return {
      text: `Created project ${name}`,
      data: { name, project },
      next: [{
        tool: "deploy_files",
        arguments: { project: name, files: FIRST_FILES, production: true },
        why: "to deploy the site's files",
      }],
    };
  },
});
