/**
 * Codes that clients exchange for tokens, and the grants that refresh them, in Deno KV. A grant is
 * stored as an access token of its owner, like a CLI's access token. A refresh changes only the
 * token's hashes.
 *
 * @module
 */
import * as z from "zod";
import { commitWithRetries, readRecord, Table } from "../../core/store/mod.ts";
import { accountKeys } from "../account_keys.ts";
import { type AccessTokenRecord, accessTokens } from "../credentials/credential.ts";
import type { RecordStore } from "../../../store/mod.ts";

const MINUTE_MS = 60_000;
export const CODE_MS = MINUTE_MS;
/**
 * How long a used code is remembered, in milliseconds. A second exchange of the code during that
 * time revokes the grant.
 */
const USED_MS = 10 * MINUTE_MS;
/** A grant that is not refreshed for 30 days expires. */
export const GRANT_MS = 30 * 24 * 60 * MINUTE_MS;

const codeRecord = z.object({
  clientHash: z.string(),
  clientName: z.string(),
  redirect: z.string(),
  challenge: z.string(),
  scope: z.enum(["read", "write"]),
  userId: z.string(),
  workspaceId: z.string(),
  expiresAt: z.number(),
  /** The grant that the code was exchanged for. */
  used: z.string().nullable(),
});
export type CodeRecord = z.infer<typeof codeRecord>;

/** A change to a grant, with the grant's new token, if any. */
export interface Change<T> {
  readonly token?: AccessTokenRecord;
  readonly result: T;
}

export class GrantRecords {
  readonly #kv: RecordStore;
  readonly #tokens;

  constructor(kv: RecordStore) {
    this.#kv = kv;
    this.#tokens = new Table(kv, accessTokens);
  }

  async addCode(hash: string, code: CodeRecord): Promise<void> {
    await this.#kv.set(accountKeys.authorizationCode(hash), code, { expireIn: USED_MS });
  }

  /**
   * Exchanges a code once. The commit that marks the code as used also stores the result of
   * `decide`.
   */
  async exchange<T>(
    hash: string,
    decide: (code: CodeRecord | undefined) => Change<T> | Promise<Change<T>>,
  ): Promise<T> {
    const key = accountKeys.authorizationCode(hash);
    return await commitWithRetries(this.#kv, [key], async (operation) => {
      const found = await readRecord(this.#kv, key, codeRecord);
      const { token, result } = await decide(found?.value);
      if (found === undefined || token === undefined) return result;
      operation.check({ key, versionstamp: found.versionstamp })
        .set(key, { ...found.value, used: token.id }, { expireIn: USED_MS });
      accessTokens.insert(operation, token, { expireIn: GRANT_MS });
      return result;
    });
  }

  /** Refreshes a grant. Concurrent uses of the same secret see each other's results. */
  async refresh<T>(
    hash: string,
    decide: (token: AccessTokenRecord | undefined) => Change<T> | Promise<Change<T>>,
  ): Promise<T> {
    const entry = accountKeys.refreshByHash(hash);
    const known = await this.#tokens.findBy("refresh", entry);
    const contended = known === undefined ? [] : [accessTokens.keyOf(known)];
    return await commitWithRetries(this.#kv, contended, async (operation) => {
      const found = await this.#tokens.readBy("refresh", entry);
      const { token, result } = await decide(found?.value);
      if (found === undefined || token === undefined) return result;
      accessTokens.replace(operation, found, token, { expireIn: GRANT_MS });
      return result;
    });
  }
}
