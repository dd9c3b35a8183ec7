/**
 * Trusted publishers in Deno KV, and the tokens that were exchanged for keys.
 *
 * @module
 */
import * as z from "zod";
import { MAX_PUBLISHERS } from "../../../contract/publishers.ts";
import { sha256Hex } from "../../../lib/hash.ts";
import {
  commitWithRetries,
  countBelow,
  keys,
  type Page,
  readAll,
  readPage,
  readRecord,
} from "../../core/store/mod.ts";
import { accountKeys } from "../account_keys.ts";
import type { ApiKeyRecord } from "../api_keys/api_key.ts";
import { addApiKeyRecords } from "../credentials/credential_store.ts";
import { type PublisherRecord, publisherRecord } from "./publisher.ts";
import type { RecordStore } from "../../../store/mod.ts";

/** Whose project has a name. */
const projectPlace = z.object({ projectId: z.string() });

/** How often a token was exchanged. */
const exchanged = z.object({ times: z.number() });

/** How long the record of a key outlives the key, in milliseconds. */
const KEY_REMAINS_MS = 60_000;

export interface Exchange {
  readonly token: {
    readonly issuer: string;
    readonly id: string;
    /** How often it may be exchanged. */
    readonly most: number;
    /** How long it is good from now on, in milliseconds. */
    readonly lives: number;
  };
  readonly key: ApiKeyRecord;
  /** How long the key lives, in milliseconds. */
  readonly keyLives: number;
  /** The publishers that give the key, as they were when that was decided. */
  readonly granting: readonly PublisherRecord[];
  readonly repositoryId: string;
  readonly subject: string;
  readonly at: number;
}

export class PublisherStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /** Adds a publisher; false where the workspace has as many as it may. */
  async add(record: PublisherRecord): Promise<boolean> {
    const { workspaceId, id } = record;
    const guard = accountKeys.publishersGuard(workspaceId);
    const { result } = await commitWithRetries(this.#kv, [guard], async () => {
      const { versionstamp } = await this.#kv.get(guard);
      const there = await countBelow(this.#kv, accountKeys.publishers(workspaceId), MAX_PUBLISHERS);
      const operation = this.#kv.atomic();
      if (there >= MAX_PUBLISHERS) return { operation, result: false };
      operation.check({ key: guard, versionstamp }).set(guard, id)
        .set(accountKeys.publisher(workspaceId, id), record);
      return { operation, result: true };
    });
    return result;
  }

  list(
    workspaceId: string,
    wish: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<Page<PublisherRecord>> {
    const schema = publisherRecord;
    return readPage(this.#kv, accountKeys.publishers(workspaceId), { schema, ...wish });
  }

  /** Those of a workspace whose tokens an issuer signs. */
  async ofIssuer(workspaceId: string, issuer: string): Promise<PublisherRecord[]> {
    const all = readAll(this.#kv, accountKeys.publishers(workspaceId), publisherRecord);
    const found = (await Array.fromAsync(all)).map(({ value }) => value);
    return found.filter((publisher) => publisher.issuer === issuer);
  }

  /** Removes a publisher; returns it, `undefined` where the workspace has none of that id. */
  async remove(workspaceId: string, id: string): Promise<PublisherRecord | undefined> {
    const key = accountKeys.publisher(workspaceId, id);
    const found = await readRecord(this.#kv, key, publisherRecord);
    if (found !== undefined) await this.#kv.delete(key);
    return found?.value;
  }

  /** Removes those that a member added; returns them. */
  async removeOfMember(userId: string, workspaceId: string): Promise<PublisherRecord[]> {
    const all = readAll(this.#kv, accountKeys.publishers(workspaceId), publisherRecord);
    const removed: PublisherRecord[] = [];
    for await (const { key, value } of all) {
      if (value.userId !== userId) continue;
      await this.#kv.delete(key);
      removed.push(value);
    }
    return removed;
  }

  /** The id of a project of a workspace, by its id or name. */
  async projectId(workspaceId: string, reference: string): Promise<string | undefined> {
    const named = await readRecord(this.#kv, keys.projectByName(reference), projectPlace);
    const id = named?.value.projectId ?? reference;
    const project = await this.#kv.get(keys.project(workspaceId, id));
    return project.versionstamp === null ? undefined : id;
  }

  /**
   * Stores the key that a token is exchanged for, and what its publishers have learned from it.
   * Nothing is stored where the token was exchanged too often, or one of them is gone.
   */
  async exchange(wanted: Exchange): Promise<"done" | "used" | "gone"> {
    const { token, key, granting, repositoryId, subject, at } = wanted;
    const places = granting.map(({ workspaceId, id }) => accountKeys.publisher(workspaceId, id));
    const seen = accountKeys.exchangedToken(sha256Hex(`${token.issuer}\n${token.id}`));
    const { result } = await commitWithRetries<"done" | "used" | "gone">(
      this.#kv,
      [...places, seen],
      async () => {
        const [before, ...current] = await Promise.all([
          readRecord(this.#kv, seen, exchanged),
          ...places.map((place) => readRecord(this.#kv, place, publisherRecord)),
        ]);
        const operation = this.#kv.atomic();
        const times = before?.value.times ?? 0;
        if (times >= token.most) return { operation, result: "used" };
        for (const [index, key] of places.entries()) {
          const found = current[index];
          const pinned = found?.value.repositoryId ?? repositoryId;
          if (found === undefined || pinned !== repositoryId) return { operation, result: "gone" };
          operation.check({ key, versionstamp: found.versionstamp })
            .set(key, { ...found.value, repositoryId, lastUsedAt: at, lastSubject: subject });
        }
        operation
          .check({ key: seen, versionstamp: before?.versionstamp ?? null })
          .set(seen, { times: times + 1 }, { expireIn: Math.max(1, token.lives) });
        addApiKeyRecords(operation, key, { expireIn: wanted.keyLives + KEY_REMAINS_MS });
        return { operation, result: "done" };
      },
    );
    return result;
  }
}
