/**
 * `/v1/projects/{project}/blobs`: an environment's blob store contents, signed URLs and access
 * keys.
 *
 * @module
 */
import type { BlobKey, BlobObject } from "../../contract/blob_store.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import type { Caller } from "../core/access/mod.ts";
import { Failure, type Router } from "../core/http/mod.ts";
import { type EnvironmentStore, findEnvironmentName } from "../environments/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import type { AccessKeyRecord, AccessKeys } from "./access_keys.ts";
import type { BlobPlace, ObjectRecord } from "./object_record.ts";
import type { ObjectStore } from "./object_store.ts";
import { REGION, signUrl } from "./sign_url.ts";
import { BlobStoreError } from "./store_error.ts";

export interface BlobRouteServices {
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
  readonly objects: ObjectStore;
  readonly accessKeys: AccessKeys;
  /** Public URL of the S3 endpoint. */
  readonly endpoint: string;
  readonly now: Clock;
  readonly random: Random;
  /** Called when a platform key is revoked, so servers get a new one. */
  onRevoked(record: AccessKeyRecord): Promise<void>;
}

const objectOf = ({ key, size, etag, contentType, modifiedAt }: ObjectRecord): BlobObject => ({
  key,
  size,
  etag,
  contentType,
  modifiedAt: new Date(modifiedAt).toISOString(),
});

const keyOf = (record: AccessKeyRecord): BlobKey => ({
  id: record.id,
  name: record.name,
  environment: record.environment,
  isReadOnly: record.isReadOnly,
  isPlatform: record.kind === "platform",
  createdAt: new Date(record.createdAt).toISOString(),
});

/** Converts errors of the blob store to API failures. */
async function asFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof BlobStoreError)) throw error;
    const { code, message, status } = error;
    if (code === "QuotaExceeded") throw new Failure("storage_full", message);
    if (status === 404) throw new Failure("not_found", message);
    if (status < 500) throw new Failure("invalid_request", message);
    throw error;
  }
}

export function bindBlobStoreRoutes(router: Router, services: BlobRouteServices): void {
  const { projects, environments, objects, accessKeys, endpoint, now, random } = services;

  async function placeOf(caller: Caller, name: string, environment: string): Promise<BlobPlace> {
    const project = await findProject(projects, caller, name);
    return {
      workspaceId: caller.workspace.id,
      projectId: project.id,
      environment: await findEnvironmentName(environments, project, environment),
    };
  }

  async function usageOf({ projectId, environment }: BlobPlace) {
    const stores = await objects.usage.of(projectId);
    const { bytes, objects: count } = stores.get(environment) ?? { bytes: 0, objects: 0 };
    const projectBytes = [...stores.values()].reduce((sum, each) => sum + each.bytes, 0);
    return { objects: count, bytes, projectBytes, quotaBytes: objects.quota };
  }

  router.guarded(endpoints.listBlobs, async (caller, { params, query }) => {
    const { environment, prefix, delimiter, limit, cursor: after } = query;
    const place = await placeOf(caller, params.project, environment);
    const page = await objects.listObjects(place, { prefix, delimiter, limit, after });
    return {
      items: page.items.map(objectOf),
      folders: [...page.prefixes],
      nextCursor: page.next,
      usage: await usageOf(place),
    };
  });

  router.guarded(endpoints.deleteBlob, async (caller, { params, query }) => {
    await objects.delete(await placeOf(caller, params.project, query.environment), query.key);
    return undefined;
  });

  router.guarded(endpoints.copyBlob, async (caller, { params, body }) => {
    const { environment, key, to, toEnvironment = environment } = body;
    const from = await placeOf(caller, params.project, environment);
    const target = await placeOf(caller, params.project, toEnvironment);
    const source = await asFailure(objects.get(from, key));
    return objectOf(await asFailure(objects.copy(source, target, to)));
  });

  router.guarded(endpoints.signBlob, async (caller, { params, body }) => {
    const { environment, ...options } = body;
    const place = await placeOf(caller, params.project, environment);
    const { record, secret } = await asFailure(accessKeys.ofPlatform(place, { now, random }));
    const bucket = place.environment;
    const at = now();
    return {
      url: signUrl({ ...options, endpoint, bucket }, { id: record.id, secret }, at),
      method: options.method,
      expiresAt: new Date(at + options.expiresIn * 1000).toISOString(),
    };
  });

  router.guarded(endpoints.createBlobKey, async (caller, { params, body }) => {
    const { environment, name, isReadOnly } = body;
    const place = await placeOf(caller, params.project, environment);
    const { record, secret } = await asFailure(
      accessKeys.create(place, { name, kind: "created", isReadOnly, now, random }),
    );
    return { ...keyOf(record), secret, endpoint, bucket: place.environment, region: REGION };
  });

  router.guarded(endpoints.listBlobKeys, async (caller, { params }) => {
    const { id } = await findProject(projects, caller, params.project);
    const records = await accessKeys.collect(id);
    return { items: records.sort((one, other) => one.createdAt - other.createdAt).map(keyOf) };
  });

  router.guarded(endpoints.deleteBlobKey, async (caller, { params, note }) => {
    const { id } = await findProject(projects, caller, params.project);
    const removed = await accessKeys.remove([id, params.credential]);
    if (removed === undefined) {
      throw new Failure("not_found", `Access key "${params.credential}" does not exist`);
    }
    note({ before: keyOf(removed) });
    if (removed.kind === "platform") await services.onRevoked(removed);
    return undefined;
  });
}
