/**
 * Reads the list of a deployment's files from a request. The list is either complete or a
 * difference from another deployment's list. If the difference cannot be applied reliably, the
 * client is asked for the complete list.
 *
 * @module
 */
import { applyDifference, digestFilesInSteps } from "../../contract/file_difference.ts";
import type { BodyOf } from "../../contract/endpoint.ts";
import { type DeploymentFile, MAX_FILES } from "../../contract/deployment_files.ts";
import type { endpoints } from "../../contract/endpoints.ts";
import { inTurns } from "../../lib/next_turn.ts";
import { Failure } from "../core/http/mod.ts";
import type { BlobStore } from "../core/store/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import type { PlaceOf } from "./check_content.ts";
import { readContent } from "./content.ts";
import type { DeploymentStore } from "./deployment_store.ts";

interface FileServices {
  readonly deployments: Pick<DeploymentStore, "find">;
  readonly blobs: BlobStore;
}

interface ReceivedFiles {
  readonly files: DeploymentFile[];
  readonly placeOf?: PlaceOf;
}

function unusable(deployment: string, reason: string, cause?: unknown): Failure {
  return new Failure(
    "base_unusable",
    `Cannot reuse the files of deployment ${deployment}: ${reason}. Send the complete list`,
    cause === undefined ? {} : { cause },
  );
}

async function baseFiles(
  { deployments, blobs }: FileServices,
  project: ProjectRecord,
  id: string,
): Promise<readonly DeploymentFile[]> {
  const base = await deployments.find(project.id, id);
  if (base === undefined) {
    throw unusable(id, `project "${project.name}" has no deployment with this ID`);
  }
  if (base.contentSha === null) throw unusable(id, "it is not built yet");
  const content = await readContent(blobs, base.contentSha).catch((cause) => {
    throw unusable(id, "its list is no longer stored", cause);
  });
  return content.files;
}

/** @throws {Failure} `invalid_request`, `base_unusable`, or `payload_too_large` */
export async function receiveFiles(
  services: FileServices,
  project: ProjectRecord,
  { base, files, removed }: Pick<
    BodyOf<typeof endpoints.createDeployment>,
    "base" | "files" | "removed"
  >,
): Promise<ReceivedFiles> {
  if (base === undefined) {
    if (removed.length === 0) return { files };
    const message = "Must be empty without a base";
    throw new Failure("invalid_request", `Request is not valid: body.removed: ${message}`, {
      problems: [{ path: "body.removed", message }],
    });
  }
  const before = await baseFiles(services, project, base.deployment);
  const whole = await inTurns(applyDifference(before, { files, removed }));
  if (whole.length > MAX_FILES) {
    throw new Failure(
      "payload_too_large",
      `Too many files: ${whole.length} including the base; the limit is ${MAX_FILES}`,
    );
  }
  if (await inTurns(digestFilesInSteps(whole)) !== base.digest) {
    throw unusable(base.deployment, "the resulting list does not match the digest");
  }
  const taken = whole.length - files.length;
  return {
    files: whole,
    placeOf: (index) =>
      index < taken
        ? `base[${JSON.stringify(whole[index]?.path)}]`
        : `body.files[${index - taken}]`,
  };
}
