/**
 * Access keys for blob stores. Verifying a signature requires the secret itself, so the secret is
 * sealed like a project's secrets.
 *
 * @module
 */
import * as z from "zod";
import type { Clock, Random } from "../../lib/clock.ts";
import { RecentMap } from "../../lib/memo.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import { commitWithRetries, keys, RecordType, Table } from "../core/store/mod.ts";
import { sealedSecret, type SecretBox } from "../core/secrets/mod.ts";
import type { RecordStore } from "../../store/mod.ts";
import { MAX_ACCESS_KEYS } from "./limits.ts";
import type { BlobPlace } from "./object_record.ts";
import { BlobStoreError } from "./store_error.ts";

const ID_BYTES = 10;
const SECRET_BYTES = 25;
/** Maximum number of decrypted secrets in each of the two generations. */
const MAX_REVEALED = 1000;
/** Maximum length of an ID that is looked up, in characters. */
const MAX_ID = 64;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Who created a key: a person, or the platform for servers, functions and signed URLs. */
export const KEY_KINDS = ["created", "platform"] as const;

const keyRecord = z.object({
  /** The ID that requests contain. */
  id: z.string(),
  name: z.string(),
  kind: z.enum(KEY_KINDS),
  workspaceId: z.string(),
  projectId: z.string(),
  environment: z.string(),
  isReadOnly: z.boolean(),
  secret: sealedSecret,
  createdAt: z.number(),
});
export type AccessKeyRecord = z.infer<typeof keyRecord>;

const accessKeys = new RecordType({
  root: keys.allBlobKeys(),
  schema: keyRecord,
  parts: ({ projectId, id }) => [projectId, id],
  indices: {
    id: {
      entries: ({ id }) => [keys.blobKeyById(id)],
      holds: ["projectId", "id"],
      unique: true,
    },
  },
});

const sealPlace = (id: string): string => `blob_key/${id}`;

/** A key with its secret. */
export interface OpenKey {
  readonly record: AccessKeyRecord;
  readonly secret: string;
}

export class AccessKeys extends Table<AccessKeyRecord, readonly [string, string], "id"> {
  readonly #box: SecretBox;
  readonly #making = new SingleFlight<OpenKey>();
  /** Decrypted secrets that recent requests have used, by their sealed form. */
  readonly #revealed = new RecentMap<string>(MAX_REVEALED);

  constructor(kv: RecordStore, box: SecretBox) {
    super(kv, accessKeys);
    this.#box = box;
  }

  /** @throws {BlobStoreError} `InvalidArgument` if the project has too many keys. */
  async create(
    place: BlobPlace,
    { name, kind, isReadOnly, now, random }:
      & Pick<AccessKeyRecord, "name" | "kind" | "isReadOnly">
      & { readonly now: Clock; readonly random: Random },
  ): Promise<OpenKey> {
    const { workspaceId, projectId, environment } = place;
    const id = `SVCK${base32(random(ID_BYTES))}`;
    const secret = base32(random(SECRET_BYTES));
    const record: AccessKeyRecord = {
      ...{ id, name, kind, workspaceId, projectId, environment, isReadOnly },
      secret: await this.#box.seal(secret, sealPlace(id)),
      createdAt: now(),
    };
    const owner = keys.project(workspaceId, projectId);
    // In this process, these commits run one at a time, so the limit is exact.
    await commitWithRetries(this.kv, [[...accessKeys.root, projectId]], async (operation) => {
      const project = await this.kv.get(owner);
      if (project.versionstamp === null) {
        throw new BlobStoreError("NoSuchBucket", "The project was deleted");
      }
      const created = (await this.collect(projectId)).filter((each) => each.kind === "created");
      if (kind === "created" && created.length >= MAX_ACCESS_KEYS) {
        throw new BlobStoreError(
          "InvalidArgument",
          `Revoke some access keys: a project can have at most ${MAX_ACCESS_KEYS}`,
        );
      }
      accessKeys.insert(operation.check(project), record);
    });
    return { record, secret };
  }

  /** Returns the key that a request refers to, or `undefined` if the key does not exist. */
  async open(id: string): Promise<OpenKey | undefined> {
    if (id.length > MAX_ID) return undefined;
    const record = await this.findBy("id", keys.blobKeyById(id));
    return record && await this.reveal(record);
  }

  async reveal(record: AccessKeyRecord): Promise<OpenKey> {
    const { nonce, data } = record.secret;
    const name = `${record.id} ${nonce.toHex()} ${data.toHex()}`;
    let secret = this.#revealed.get(name);
    if (secret === undefined) {
      secret = await this.#box.open(record.secret, sealPlace(record.id));
      this.#revealed.set(name, secret);
    }
    return { record, secret };
  }

  /** Returns the platform's key for an environment, created if missing. */
  ofPlatform(
    place: BlobPlace,
    parts: { readonly now: Clock; readonly random: Random },
  ): Promise<OpenKey> {
    const name = `${place.projectId}/${place.environment}`;
    return this.#making.run(name, () => this.#ofPlatform(place, parts));
  }

  async #ofPlatform(
    place: BlobPlace,
    parts: { readonly now: Clock; readonly random: Random },
  ): Promise<OpenKey> {
    for await (const record of this.all(place.projectId)) {
      if (record.kind === "platform" && record.environment === place.environment) {
        return await this.reveal(record);
      }
    }
    return await this.create(place, {
      name: "Servers, functions and signed URLs",
      kind: "platform",
      isReadOnly: false,
      ...parts,
    });
  }

  /**
   * Reseals all secrets with the platform's current key. Returns the number of resealed secrets.
   */
  async reseal(): Promise<number> {
    return await this.rewrite(async (record) =>
      this.#box.isCurrent(record.secret) ? record : {
        ...record,
        secret: await this.#box.seal((await this.reveal(record)).secret, sealPlace(record.id)),
      }
    );
  }
}

/** Letters and digits, one for each 5 bits. */
function base32(bytes: Uint8Array): string {
  let [text, value, bits] = ["", 0, 0];
  for (const byte of bytes) {
    value = value << 8 | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32[value >> bits - 5 & 31];
    value &= (1 << bits) - 1;
  }
  return text;
}
