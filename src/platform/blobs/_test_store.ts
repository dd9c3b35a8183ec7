/**
 * A blob store for tests, stored in memory and in a temporary folder.
 *
 * @module
 */
import { AwsClient } from "aws4fetch";
import { inTestFolder } from "../../lib/_test_folder.ts";
import { systemRandom } from "../../lib/clock.ts";
import { DenoStore } from "../../store/mod.ts";
import { openKeyRing, SecretBox } from "../core/secrets/mod.ts";
import { keys, openFsBlobVault } from "../core/store/mod.ts";
import { AccessKeys } from "./access_keys.ts";
import type { BlobPlace } from "./object_record.ts";
import { ObjectStore } from "./object_store.ts";
import { createS3Handler } from "./s3/handle_request.ts";
import { UploadStore } from "./upload_store.ts";

/** The package's request type, whose body differs from that of Deno's type. */
type AwsRequestInit = Parameters<AwsClient["sign"]>[1];

export const PLACE: BlobPlace = {
  workspaceId: "01890000-0000-7000-8000-000000000001",
  projectId: "01890000-0000-7000-8000-000000000002",
  environment: "production",
};

export interface TestStore {
  readonly kv: DenoStore;
  /** Temporary folder that contains the vault in `blobs`. */
  readonly folder: string;
  readonly vault: Awaited<ReturnType<typeof openFsBlobVault>>;
  readonly objects: ObjectStore;
  readonly uploads: UploadStore;
  readonly accessKeys: AccessKeys;
  readonly handle: (request: Request) => Promise<Response>;
  readonly client: AwsClient;
  readonly secret: string;
  readonly keyId: string;
  /** Sends a signed request. The path begins with the bucket. */
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Advances the clock by a number of milliseconds. */
  pass(ms: number): void;
  readonly now: () => number;
}

export const ENDPOINT = "http://svc.test/s3";

export async function withStore(
  run: (store: TestStore) => Promise<void>,
  { quota = 1024 ** 3 }: { readonly quota?: number } = {},
): Promise<void> {
  await inTestFolder(async (folder) => {
    using kv = await DenoStore.open(":memory:");
    const vault = await openFsBlobVault(`${folder}/blobs`);
    let passed = 0;
    const now = () => Date.now() + passed;
    const box = new SecretBox(await openKeyRing(`${folder}/keys`, systemRandom), systemRandom);
    await kv.set(keys.project(PLACE.workspaceId, PLACE.projectId), {});
    const objects = new ObjectStore({ kv, vault, quota, now });
    const uploads = new UploadStore(kv, { objects, now, random: systemRandom });
    const accessKeys = new AccessKeys(kv, box);
    const opened = await accessKeys.ofPlatform(PLACE, { now, random: systemRandom });
    const { secret, record: { id: keyId } } = opened;
    const client = new AwsClient({
      accessKeyId: keyId,
      secretAccessKey: secret,
      service: "s3",
      region: "auto",
      retries: 0,
    });
    const handle = createS3Handler({
      objects,
      uploads,
      root: "/s3",
      openKey: (id) => accessKeys.open(id),
      requestId: () => "request",
      now,
      onTrouble: (message) => {
        throw new Error(message);
      },
    });
    await run({
      ...{ kv, folder, vault, objects, uploads, accessKeys, handle, client, secret, keyId, now },
      send: async (path, init) =>
        await handle(await client.sign(`${ENDPOINT}/${path}`, init as AwsRequestInit)),
      pass: (ms) => void (passed += ms),
    });
  });
}

/** Returns the text of all elements with a given name in a document. */
export const elements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text]) => text!);
