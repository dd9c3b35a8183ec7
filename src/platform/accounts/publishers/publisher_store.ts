/** Trusted publishers in Deno KV, and the tokens exchanged for keys. @module */
import * as z from "zod";
import { MAX_PUBLISHERS } from "../../../contract/publishers.ts";
import { sha256Hex } from "../../../lib/hash.ts";
import {
  commitWithRetries,
  countBelow,
  keys,
  readRecord,
  RecordType,
  Table,
  type Versioned,
} from "../../core/store/mod.ts";
import { accountKeys } from "../account_keys.ts";
import { type ApiKeyRecord, apiKeys } from "../api_keys/api_key.ts";
import { type PublisherRecord, publisherRecord } from "./publisher.ts";
import type { RecordStore } from "../../../store/mod.ts";

const publishers = new RecordType({
  root: accountKeys.allPublishers(),
  schema: publisherRecord,
  parts: ({ workspaceId, id }) => [workspaceId, id],
});

const projectPlace = z.object({ projectId: z.string() });

const exchanged = z.object({ times: z.number() });

/** How long a key's record outlives the key, in milliseconds. */
const KEY_REMAINS_MS = 60_000;

export interface Exchange {
  readonly token: {
    readonly issuer: string;
    readonly id: string;
    /** Maximum number of times that the token can be exchanged. */
    readonly most: number;
    /** How long the token remains valid, in milliseconds. */
    readonly lives: number;
  };
  readonly key: ApiKeyRecord;
  /** Lifetime of the key, in milliseconds. */
  readonly keyLives: number;
  /** The publishers that issue the key, in the state on which the decision was based. */
  readonly granting: readonly PublisherRecord[];
  readonly repositoryId: string;
  readonly subject: string;
  readonly at: number;
}

export class PublisherStore extends Table<PublisherRecord, readonly [string, string]> {
  constructor(kv: RecordStore) {
    super(kv, publishers);
  }

  /** Adds a publisher. Returns false if the workspace has reached its limit. */
  override async add(record: PublisherRecord): Promise<boolean> {
    const { workspaceId, id } = record;
    const guard = accountKeys.publishersGuard(workspaceId);
    return await commitWithRetries(this.kv, [guard], async (operation) => {
      const { versionstamp } = await this.kv.get(guard);
      const there = await countBelow(this.kv, [...publishers.root, workspaceId], MAX_PUBLISHERS);
      if (there >= MAX_PUBLISHERS) return false;
      publishers.insert(operation.check({ key: guard, versionstamp }).set(guard, id), record);
      return true;
    });
  }

  async ofIssuer(workspaceId: string, issuer: string): Promise<PublisherRecord[]> {
    return (await this.collect(workspaceId)).filter((publisher) => publisher.issuer === issuer);
  }

  /** Removes and returns the publishers that a member added. */
  async removeOfMember(userId: string, workspaceId: string): Promise<PublisherRecord[]> {
    const theirs = (await this.collect(workspaceId))
      .filter((publisher) => publisher.userId === userId);
    for (const { id } of theirs) await this.remove([workspaceId, id]);
    return theirs;
  }

  async projectId(workspaceId: string, reference: string): Promise<string | undefined> {
    const named = await readRecord(this.kv, keys.projectByName(reference), projectPlace);
    const id = named?.value.projectId ?? reference;
    const project = await this.kv.get(keys.project(workspaceId, id));
    return project.versionstamp === null ? undefined : id;
  }

  /**
   * Stores a key and updates its publishers. Returns `used` if the token has been exchanged as
   * often as allowed, or `gone` if a publisher has been removed or belongs to another repository.
   */
  async exchange(wanted: Exchange): Promise<"done" | "used" | "gone"> {
    const { token, key, granting, repositoryId, subject, at } = wanted;
    const seen = accountKeys.exchangedToken(sha256Hex(`${token.issuer}\n${token.id}`));
    const contended = [...granting.map((publisher) => publishers.keyOf(publisher)), seen];
    return await commitWithRetries<"done" | "used" | "gone">(
      this.kv,
      contended,
      async (operation) => {
        const [before, ...current] = await Promise.all([
          readRecord(this.kv, seen, exchanged),
          ...granting.map(({ workspaceId, id }) => this.read(workspaceId, id)),
        ]);
        const times = before?.value.times ?? 0;
        if (times >= token.most) return "used";
        const isGone = (found: Versioned<PublisherRecord> | undefined) =>
          found === undefined || (found.value.repositoryId ?? repositoryId) !== repositoryId;
        if (current.some(isGone)) return "gone";
        for (const found of current) {
          const learned = { repositoryId, lastUsedAt: at, lastSubject: subject };
          publishers.replace(operation, found!, { ...found!.value, ...learned });
        }
        operation
          .check({ key: seen, versionstamp: before?.versionstamp ?? null })
          .set(seen, { times: times + 1 }, { expireIn: Math.max(1, token.lives) });
        apiKeys.insert(operation, key, { expireIn: wanted.keyLives + KEY_REMAINS_MS });
        return "done";
      },
    );
  }
}
