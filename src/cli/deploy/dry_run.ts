/** @module `svc deploy --dry-run`: runs every check of a deploy without deploying. */
import type { Pack } from "../../build/mod.ts";
import type { Client } from "../../client/client.ts";
import { checkDeployment } from "../../contract/deployments.ts";
import type { Project } from "../../contract/projects.ts";
import type { Context } from "../session/context.ts";
import { formatBytes, formatCount } from "../terminal/format.ts";
import { type DeploymentRequest, toBody } from "./send_deployment.ts";

/** The content of a deploy, as prepared before the upload. */
export interface PackedDeployment {
  readonly pack: Pack;
  readonly body: DeploymentRequest["body"];
}

function sizeOf(files: Pack["files"]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** Asks the platform to run all of its checks on the data that the deploy would send. */
export async function dryRun(
  ctx: Context,
  { client, project, packed: { pack, body } }: {
    readonly client: Client;
    readonly project: Project;
    readonly packed: PackedDeployment;
  },
): Promise<void> {
  const { files, functions, manifest, rules } = pack;
  const { environment, branch, missing } = await client.call(checkDeployment, {
    params: { project: project.id },
    body: toBody({ body, files, functions }),
    idempotent: true,
  });
  const bytes = sizeOf(files);
  ctx.ui.done(
    "deploy",
    `Would deploy ${formatCount(files.length, "file")}, ${formatBytes(bytes)}, ` +
      `to ${project.name} (${environment}), ${missing.length} to upload`,
  );
  ctx.ui.result({
    dryRun: true,
    project,
    environment,
    branch,
    outputDirectory: pack.output,
    manifest,
    servers: pack.servers,
    rules: rules ?? null,
    files: files.map(({ path, sha256, size }) => ({ path, sha256, size })),
    functions: functions.map(({ name }) => name),
    bytes,
    missing: missing.length,
  }, files.map(({ path }) => path).join("\n"));
}
