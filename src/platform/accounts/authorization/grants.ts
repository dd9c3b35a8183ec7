/**
 * Codes that clients exchange for tokens, and the grants that refresh them, in Deno KV.
 * A grant is one record among the tools of its owner: refreshing it changes its hashes only.
 *
 * @module
 */
import * as z from "zod";
import { commitWithRetries, readRecord } from "../../core/store/mod.ts";
import { accountKeys } from "../account_keys.ts";
import { type AccessTokenRecord, accessTokenRecord } from "../credentials/credential.ts";
import type { Operation, RecordStore } from "../../../store/mod.ts";

const MINUTE_MS = 60_000;
/** How long a code may be exchanged. */
export const CODE_MS = MINUTE_MS;
/** How long a code that was exchanged is remembered, so that another exchange ends its grant. */
const USED_MS = 10 * MINUTE_MS;
/** A grant that is not refreshed for 30 days ends. */
export const GRANT_MS = 30 * 24 * 60 * MINUTE_MS;

export const codeRecord = z.object({
  clientHash: z.string(),
  clientName: z.string(),
  redirect: z.string(),
  challenge: z.string(),
  scope: z.enum(["read", "write"]),
  userId: z.string(),
  workspaceId: z.string(),
  expiresAt: z.number(),
  /** The grant that it was exchanged for. */
  used: z.string().nullable(),
});
export type CodeRecord = z.infer<typeof codeRecord>;

const place = z.object({ userId: z.string(), id: z.string() });

/** What becomes of a grant: the token it has from now on, or nothing. */
export interface Change<T> {
  readonly token?: AccessTokenRecord;
  readonly result: T;
}

export class GrantRecords {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  async addCode(hash: string, code: CodeRecord): Promise<void> {
    await this.#kv.set(accountKeys.authorizationCode(hash), code, { expireIn: USED_MS });
  }

  /** Exchanges a code at most once: what `decide` makes is stored with the code's end. */
  async exchange<T>(
    hash: string,
    decide: (code: CodeRecord | undefined) => Change<T> | Promise<Change<T>>,
  ): Promise<T> {
    const key = accountKeys.authorizationCode(hash);
    const { result } = await commitWithRetries(this.#kv, [key], async () => {
      const found = await readRecord(this.#kv, key, codeRecord);
      const { token, result } = await decide(found?.value);
      const operation = this.#kv.atomic();
      if (found === undefined || token === undefined) return { operation, result };
      operation.check({ key, versionstamp: found.versionstamp })
        .set(key, { ...found.value, used: token.id }, { expireIn: USED_MS });
      this.#put(operation, token);
      return { operation, result };
    });
    return result;
  }

  /** Refreshes a grant: of two at once with one secret, the second sees what the first made. */
  async refresh<T>(
    hash: string,
    decide: (token: AccessTokenRecord | undefined) => Change<T> | Promise<Change<T>>,
  ): Promise<T> {
    const named = await readRecord(this.#kv, accountKeys.refreshByHash(hash), place);
    const { userId, id } = named?.value ?? { userId: "", id: "" };
    const key = accountKeys.accessToken(userId, id);
    const { result } = await commitWithRetries(this.#kv, [key], async () => {
      const found = named === undefined
        ? undefined
        : await readRecord(this.#kv, key, accessTokenRecord);
      const { token, result } = await decide(found?.value);
      const operation = this.#kv.atomic();
      if (found === undefined || token === undefined) return { operation, result };
      operation.check({ key, versionstamp: found.versionstamp })
        .delete(accountKeys.accessTokenByHash(found.value.hash));
      const old = found.value.refresh?.previous;
      if (old !== undefined && old !== null) operation.delete(accountKeys.refreshByHash(old));
      this.#put(operation, token);
      return { operation, result };
    });
    return result;
  }

  #put(operation: Operation, token: AccessTokenRecord): void {
    const { userId, id, hash, refresh } = token;
    const expireIn = GRANT_MS;
    operation
      .set(accountKeys.accessToken(userId, id), token, { expireIn })
      .set(accountKeys.accessTokenByHash(hash), { userId, id }, { expireIn });
    for (const each of [refresh?.hash, refresh?.previous]) {
      if (each === undefined || each === null) continue;
      operation.set(accountKeys.refreshByHash(each), { userId, id }, { expireIn });
    }
  }
}
