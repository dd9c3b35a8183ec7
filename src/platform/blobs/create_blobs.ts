/**
 * Sets up projects' blob stores. Each environment has one store, which code accesses through the S3
 * protocol.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import type { SiteObjects } from "../../edge/mod.ts";
import type { BlobSettings } from "../../manifest/mod.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import { formatCount } from "../../lib/format.ts";
import { requestIds } from "../core/http/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { deleteKeys, keys, keysBelow } from "../core/store/mod.ts";
import type { RecordKey } from "../../store/mod.ts";
import { AccessKeys } from "./access_keys.ts";
import {
  type BlobPlace,
  objectBlobs,
  objects as objectType,
  parts,
  uploads as uploadType,
} from "./object_record.ts";
import { ObjectStore } from "./object_store.ts";
import { bindBlobStoreRoutes, type BlobRouteServices } from "./routes.ts";
import { createS3Handler } from "./s3/handle_request.ts";
import { seedStore } from "./seed_store.ts";
import { openSiteObjects } from "./site_objects.ts";
import { REGION } from "./sign_url.ts";
import { UploadStore } from "./upload_store.ts";

/** Maximum time that a site's first request waits for the store to be filled, in milliseconds. */
const SEED_PATIENCE_MS = 10_000;

/** Path of the S3 endpoint, on every host that has it. */
export const S3_PATH = "/s3";

/** A deployment's access to its environment's store. */
interface BlobAccess {
  /** A value that changes when running servers need different variables. */
  readonly identity: string;
  readonly variables: Readonly<Record<string, string>>;
}

export interface ProjectBlobs {
  readonly objects: ObjectStore;
  /** Handles requests below {@link S3_PATH}. */
  readonly handle: (request: Request) => Promise<Response>;
  /**
   * Returns how code accesses its store.
   *
   * @param origin the origin at which the code reaches the endpoint
   */
  readonly blobsFor: (place: BlobPlace, origin: string) => Promise<BlobAccess>;
  /**
   * Returns the public objects of a deployment's site, or `undefined` if it declares none. If the
   * deployment requests it, production's objects are copied to the store first.
   */
  readonly objectsOf: (
    place: BlobPlace,
    settings: BlobSettings | undefined,
  ) => Promise<SiteObjects | undefined>;
  readonly capability: Capability;
}

/** Returns whether a URL path belongs to the S3 endpoint. */
export function isS3Path(path: string): boolean {
  return path === S3_PATH || path.startsWith(`${S3_PATH}/`);
}

/**
 * Adds the variables for the blob store, which a project's own variables override. A project that
 * sets any AWS variable uses other object storage, so svc adds no AWS variables.
 */
export function withBlobVariables(
  { variables: ours }: Pick<BlobAccess, "variables">,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const hasAws = Object.keys(own).some((name) => name.startsWith("AWS_"));
  return Object.fromEntries(
    Object.entries(ours).filter(([name]) => !hasAws || !name.startsWith("AWS_")),
  );
}

export function createBlobs(
  foundation: Pick<
    Foundation,
    "kv" | "vault" | "box" | "publicOrigin" | "now" | "random" | "onTrouble"
  >,
  { quota, ...routes }:
    & Pick<BlobRouteServices, "projects" | "environments">
    & { readonly quota: number; onChanged(projectId: string): Promise<void> },
): ProjectBlobs {
  const { kv, vault, box, publicOrigin, now, random, onTrouble } = foundation;
  const objects = new ObjectStore({ kv, vault, quota, now });
  const uploads = new UploadStore(kv, { objects, now, random });
  const accessKeys = new AccessKeys(kv, box);
  const seeding = new SingleFlight<void>();
  const endpoint = `${publicOrigin}${S3_PATH}`;
  const recordsOf = async function* (...owner: readonly string[]): AsyncGenerator<RecordKey> {
    for (const { root } of [objectType, uploadType, parts]) {
      yield* keysBelow(kv, [...root, ...owner]);
    }
    yield* keysBelow(kv, [...keys.allBlobUsage(), ...owner]);
  };
  return {
    objects,
    handle: createS3Handler({
      objects,
      uploads,
      root: S3_PATH,
      openKey: (id) => accessKeys.open(id),
      requestId: requestIds(random),
      now,
      onTrouble,
    }),
    async blobsFor(place, origin): Promise<BlobAccess> {
      const opened = await accessKeys.ofPlatform(place, { now, random }).catch((error) => {
        // If a store is full or read-only, the site still works.
        onTrouble(`Cannot open the blob store of project ${place.projectId}: ${error}`);
      });
      if (opened === undefined) return { identity: "", variables: {} };
      const { record: { id }, secret } = opened;
      const own = `${origin}${S3_PATH}`;
      return {
        identity: id,
        variables: {
          BLOBS_ENDPOINT: own,
          BLOBS_PUBLIC_ENDPOINT: endpoint,
          BLOBS_BUCKET: place.environment,
          BLOBS_REGION: REGION,
          BLOBS_ACCESS_KEY_ID: id,
          BLOBS_SECRET_ACCESS_KEY: secret,
          AWS_ENDPOINT_URL_S3: own,
          AWS_REGION: REGION,
          AWS_ACCESS_KEY_ID: id,
          AWS_SECRET_ACCESS_KEY: secret,
        },
      };
    },
    async objectsOf(place, settings) {
      if (settings?.preview === "copy" && place.environment !== ENVIRONMENT_PRODUCTION) {
        const from = { ...place, environment: ENVIRONMENT_PRODUCTION };
        const name = `${place.projectId}/${place.environment}`;
        const seeded = seeding.run(name, () => seedStore({ kv, objects, now }, from, place))
          .catch((error) => onTrouble(`Cannot copy the blob store of ${name}: ${error}`));
        await Promise.race([seeded, delay(SEED_PATIENCE_MS, undefined, { ref: false })]);
      }
      const beginnings = settings?.public ?? [];
      return beginnings.length === 0 ? undefined : openSiteObjects(objects, place, beginnings);
    },
    capability: {
      name: "blobs",
      bindRoutes: (router) =>
        bindBlobStoreRoutes(router, {
          ...routes,
          objects,
          accessKeys,
          endpoint,
          now,
          random,
          onRevoked: ({ projectId }) => routes.onChanged(projectId),
        }),
      async cleanUp(signal, lease) {
        const count = await uploads.sweep(signal, lease);
        return count === 0
          ? []
          : [`removed ${formatCount(count, "unfinished upload")} from blob stores`];
      },
      neededBlobs: () => objectBlobs(kv),
      async *projectKeys(projectId) {
        yield* recordsOf(projectId);
        yield* keysBelow(kv, keys.blobSeeds(projectId));
        for await (const { id } of accessKeys.all(projectId)) {
          yield keys.blobKeyById(id);
          yield [...keys.allBlobKeys(), projectId, id];
        }
      },
      async removeEnvironment({ projectId, name }) {
        for await (const { id, environment } of accessKeys.all(projectId)) {
          if (environment === name) await accessKeys.remove([projectId, id]);
        }
        await deleteKeys(kv, recordsOf(projectId, name));
        await kv.delete(keys.blobSeed(projectId, name));
      },
    },
  };
}
