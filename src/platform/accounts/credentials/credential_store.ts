/** Sessions, access tokens and API keys in Deno KV, by hash. @module */
import { keys, type Page, type PageRange, readRecord, Table } from "../../core/store/mod.ts";
import { accountKeys } from "../account_keys.ts";
import { type ApiKeyRecord, apiKeys } from "../api_keys/api_key.ts";
import { endCreations } from "./creations.ts";
import {
  ACCESS_TOKEN_IDLE_MS,
  type AccessTokenRecord,
  accessTokens,
  type LastUse,
  lastUse,
  type SessionRecord,
  sessions,
} from "./credential.ts";
import type { Draft, RecordStore } from "../../../store/mod.ts";

export class CredentialStore {
  readonly #kv: RecordStore;
  readonly sessions;
  readonly accessTokens;
  readonly apiKeys;

  constructor(kv: RecordStore) {
    this.#kv = kv;
    this.sessions = new Table(kv, sessions);
    this.accessTokens = new Table(kv, accessTokens);
    this.apiKeys = new Table(kv, apiKeys);
  }

  async findSession(hash: string): Promise<SessionRecord | undefined> {
    return await this.sessions.findBy("hash", accountKeys.sessionByHash(hash));
  }

  async removeSession(userId: string, id: string): Promise<SessionRecord | undefined> {
    const session = await this.sessions.find(userId, id);
    if (session !== undefined) await this.#end(id, (draft) => sessions.drop(draft, session));
    return session;
  }

  async findAccessToken(hash: string): Promise<AccessTokenRecord | undefined> {
    return await this.accessTokens.findBy("hash", accountKeys.accessTokenByHash(hash));
  }

  async removeAccessToken(userId: string, id: string): Promise<AccessTokenRecord | undefined> {
    const token = await this.accessTokens.find(userId, id);
    if (token !== undefined) await this.#end(id, (draft) => accessTokens.drop(draft, token));
    return token;
  }

  async findApiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    return await this.apiKeys.findBy("hash", keys.apiKeyByHash(hash));
  }

  listApiKeys(workspaceId: string, page: PageRange): Promise<Page<ApiKeyRecord>> {
    return this.apiKeys.listCopies(accountKeys.workspaceApiKeys(workspaceId), page);
  }

  async hasProject(workspaceId: string, id: string): Promise<boolean> {
    return (await this.#kv.get(keys.project(workspaceId, id))).versionstamp !== null;
  }

  async updateApiKey(
    workspaceId: string,
    id: string,
    edit: (current: ApiKeyRecord) => ApiKeyRecord,
  ): Promise<ApiKeyRecord | undefined> {
    if (await this.#apiKeyOf(workspaceId, id) === undefined) return undefined;
    return await this.apiKeys.update([id], edit);
  }

  async removeApiKey(workspaceId: string, id: string): Promise<ApiKeyRecord | undefined> {
    const apiKey = await this.#apiKeyOf(workspaceId, id);
    if (apiKey !== undefined) await this.#end(id, (draft) => apiKeys.drop(draft, apiKey));
    return apiKey;
  }

  async #apiKeyOf(workspaceId: string, id: string): Promise<ApiKeyRecord | undefined> {
    const apiKey = await this.apiKeys.find(id);
    return apiKey?.workspaceId === workspaceId ? apiKey : undefined;
  }

  /**
   * Removes and returns the keys of a trusted publisher, even if other publishers share these keys.
   */
  async removeOfPublisher(workspaceId: string, publisherId: string): Promise<ApiKeyRecord[]> {
    return await this.#removeApiKeys(
      workspaceId,
      ({ publisherIds }) => publisherIds.includes(publisherId),
    );
  }

  /** Removes all keys and tokens that act for a user in a workspace. Returns the keys. */
  async removeOfMember(userId: string, workspaceId: string): Promise<ApiKeyRecord[]> {
    for await (const token of this.accessTokens.all(userId)) {
      if (token.workspaceId === workspaceId) await this.removeAccessToken(userId, token.id);
    }
    return await this.#removeApiKeys(workspaceId, (apiKey) => apiKey.userId === userId);
  }

  async #removeApiKeys(
    workspaceId: string,
    isGone: (apiKey: ApiKeyRecord) => boolean,
  ): Promise<ApiKeyRecord[]> {
    const removed: ApiKeyRecord[] = [];
    const prefix = accountKeys.workspaceApiKeys(workspaceId);
    for await (const apiKey of this.apiKeys.allBy("workspace", prefix)) {
      if (!isGone(apiKey)) continue;
      await this.removeApiKey(workspaceId, apiKey.id);
      removed.push(apiKey);
    }
    return removed;
  }

  async #end(id: string, remove: (draft: Draft) => void): Promise<void> {
    const operation = this.#kv.atomic().delete(accountKeys.lastUse(id));
    remove(operation);
    await endCreations(this.#kv, operation, id);
    await operation.commit();
    // Removes creations that were added between the read and the commit. Later additions are
    // rejected.
    let late = this.#kv.atomic();
    while (await endCreations(this.#kv, late, id)) {
      await late.commit();
      late = this.#kv.atomic();
    }
  }

  async lastUse(credentialId: string): Promise<LastUse | undefined> {
    return (await readRecord(this.#kv, accountKeys.lastUse(credentialId), lastUse))?.value;
  }

  /** Records a use. The record is kept for longer than every idle limit, and then expires. */
  async noteUse(credentialId: string, use: LastUse): Promise<void> {
    const expireIn = 2 * ACCESS_TOKEN_IDLE_MS;
    await this.#kv.set(accountKeys.lastUse(credentialId), use, { expireIn });
  }
}
