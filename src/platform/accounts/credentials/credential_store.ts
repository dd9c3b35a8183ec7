/**
 * Sessions, access tokens and API keys in Deno KV, found by their hash.
 *
 * @module
 */
import * as z from "zod";
import { keys, type Page, readAll, readPage, readRecord } from "../../core/store/mod.ts";
import { accountKeys } from "../account_keys.ts";
import { type ApiKeyRecord, apiKeyRecord } from "../api_keys/api_key.ts";
import { endCreations } from "./creations.ts";
import {
  ACCESS_TOKEN_IDLE_MS,
  type AccessTokenRecord,
  accessTokenRecord,
  type LastUse,
  lastUse,
  SESSION_MAX_MS,
  type SessionRecord,
  sessionRecord,
} from "./credential.ts";
import type { Operation, RecordStore } from "../../../store/mod.ts";

const place = z.object({ userId: z.string(), id: z.string() });
type PageWish = { readonly limit: number; readonly cursor?: string | undefined };

/** How often the change of a key is tried again after another one came first. */
const UPDATE_ATTEMPTS = 10;

/** Adds an access token to an operation, so that both are committed together. */
export function addAccessToken(
  operation: Operation,
  token: AccessTokenRecord,
): Operation {
  return operation
    .set(accountKeys.accessToken(token.userId, token.id), token)
    .set(accountKeys.accessTokenByHash(token.hash), { userId: token.userId, id: token.id });
}

/** Adds an API key to an operation; with `expireIn` the store removes it after that time. */
export function addApiKeyRecords(
  operation: Operation,
  apiKey: ApiKeyRecord,
  options?: { readonly expireIn: number },
): Operation {
  return operation
    .set(keys.apiKey(apiKey.id), apiKey, options)
    .set(keys.apiKeyByHash(apiKey.hash), apiKey.id, options)
    .set(accountKeys.workspaceApiKey(apiKey.workspaceId, apiKey.id), apiKey, options);
}

export class CredentialStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  async addSession(session: SessionRecord): Promise<void> {
    const expireIn = SESSION_MAX_MS;
    await this.#kv.atomic()
      .set(accountKeys.session(session.userId, session.id), session, { expireIn })
      .set(accountKeys.sessionByHash(session.hash), { userId: session.userId, id: session.id }, {
        expireIn,
      })
      .commit();
  }

  async findSession(hash: string): Promise<SessionRecord | undefined> {
    const found = await readRecord(this.#kv, accountKeys.sessionByHash(hash), place);
    if (found === undefined) return undefined;
    const key = accountKeys.session(found.value.userId, found.value.id);
    return (await readRecord(this.#kv, key, sessionRecord))?.value;
  }

  sessions(userId: string, page: PageWish): Promise<Page<SessionRecord>> {
    return readPage(this.#kv, accountKeys.sessions(userId), { schema: sessionRecord, ...page });
  }

  async allSessions(userId: string): Promise<SessionRecord[]> {
    const all = readAll(this.#kv, accountKeys.sessions(userId), sessionRecord);
    return (await Array.fromAsync(all)).map(({ value }) => value);
  }

  /** Ends a session; returns it, `undefined` where the user has none of that id. */
  async removeSession(userId: string, id: string): Promise<SessionRecord | undefined> {
    const key = accountKeys.session(userId, id);
    const session = (await readRecord(this.#kv, key, sessionRecord))?.value;
    if (session === undefined) return undefined;
    await this.#end(
      id,
      (operation) => operation.delete(key).delete(accountKeys.sessionByHash(session.hash)),
    );
    return session;
  }

  async findAccessToken(hash: string): Promise<AccessTokenRecord | undefined> {
    const found = await readRecord(this.#kv, accountKeys.accessTokenByHash(hash), place);
    if (found === undefined) return undefined;
    const key = accountKeys.accessToken(found.value.userId, found.value.id);
    return (await readRecord(this.#kv, key, accessTokenRecord))?.value;
  }

  accessTokens(userId: string, page: PageWish): Promise<Page<AccessTokenRecord>> {
    const schema = accessTokenRecord;
    return readPage(this.#kv, accountKeys.accessTokens(userId), { schema, ...page });
  }

  /** Revokes a token; returns it, `undefined` where the user has none of that id. */
  async removeAccessToken(userId: string, id: string): Promise<AccessTokenRecord | undefined> {
    const key = accountKeys.accessToken(userId, id);
    const token = (await readRecord(this.#kv, key, accessTokenRecord))?.value;
    if (token === undefined) return undefined;
    await this.#end(
      id,
      (operation) => operation.delete(key).delete(accountKeys.accessTokenByHash(token.hash)),
    );
    return token;
  }

  async addApiKey(apiKey: ApiKeyRecord): Promise<void> {
    await addApiKeyRecords(this.#kv.atomic(), apiKey).commit();
  }

  async findApiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    const id = await readRecord(this.#kv, keys.apiKeyByHash(hash), z.string());
    if (id === undefined) return undefined;
    return (await readRecord(this.#kv, keys.apiKey(id.value), apiKeyRecord))?.value;
  }

  apiKeys(workspaceId: string, page: PageWish): Promise<Page<ApiKeyRecord>> {
    const schema = apiKeyRecord;
    return readPage(this.#kv, accountKeys.workspaceApiKeys(workspaceId), { schema, ...page });
  }

  /** Whether a workspace has a project. */
  async hasProject(workspaceId: string, id: string): Promise<boolean> {
    return (await this.#kv.get(keys.project(workspaceId, id))).versionstamp !== null;
  }

  /** Changes a key; returns it, `undefined` where the workspace has none of that id. */
  async updateApiKey(
    workspaceId: string,
    id: string,
    edit: (current: ApiKeyRecord) => ApiKeyRecord,
  ): Promise<ApiKeyRecord | undefined> {
    const listed = accountKeys.workspaceApiKey(workspaceId, id);
    for (let attempt = 0; attempt < UPDATE_ATTEMPTS; attempt++) {
      const found = await readRecord(this.#kv, listed, apiKeyRecord);
      if (found === undefined) return undefined;
      const changed = edit(found.value);
      const { ok } = await this.#kv.atomic()
        .check({ key: listed, versionstamp: found.versionstamp })
        .set(keys.apiKey(id), changed).set(listed, changed).commit();
      if (ok) return changed;
    }
    throw new Error(`Cannot change API key ${id}: it is changed by too many at once`);
  }

  /** Revokes a key; returns it, `undefined` where the workspace has none of that id. */
  async removeApiKey(workspaceId: string, id: string): Promise<ApiKeyRecord | undefined> {
    const listed = accountKeys.workspaceApiKey(workspaceId, id);
    const apiKey = (await readRecord(this.#kv, listed, apiKeyRecord))?.value;
    if (apiKey === undefined) return undefined;
    await this.#end(
      id,
      (operation) =>
        operation.delete(listed).delete(keys.apiKey(id)).delete(keys.apiKeyByHash(apiKey.hash)),
    );
    return apiKey;
  }

  /** Removes the keys that were given to a trusted publisher, if only in part; returns them. */
  async removeOfPublisher(workspaceId: string, publisherId: string): Promise<ApiKeyRecord[]> {
    const removed: ApiKeyRecord[] = [];
    const listed = accountKeys.workspaceApiKeys(workspaceId);
    for await (const { value } of readAll(this.#kv, listed, apiKeyRecord)) {
      if (!value.publisherIds.includes(publisherId)) continue;
      await this.removeApiKey(workspaceId, value.id);
      removed.push(value);
    }
    return removed;
  }

  /** Removes all keys and tokens that act for a user in a workspace; returns the keys. */
  async removeOfMember(userId: string, workspaceId: string): Promise<ApiKeyRecord[]> {
    for await (
      const { value } of readAll(this.#kv, accountKeys.accessTokens(userId), accessTokenRecord)
    ) {
      if (value.workspaceId === workspaceId) await this.removeAccessToken(userId, value.id);
    }
    const removed: ApiKeyRecord[] = [];
    const listed = accountKeys.workspaceApiKeys(workspaceId);
    for await (const { value } of readAll(this.#kv, listed, apiKeyRecord)) {
      if (value.userId !== userId) continue;
      await this.removeApiKey(workspaceId, value.id);
      removed.push(value);
    }
    return removed;
  }

  /** Removes a credential together with what was made with it. */
  async #end(
    id: string,
    remove: (operation: Operation) => Operation,
  ): Promise<void> {
    const operation = remove(this.#kv.atomic()).delete(accountKeys.lastUse(id));
    await endCreations(this.#kv, operation, id);
    await operation.commit();
    // Removes what was made between the read and the commit; nothing can be made any more.
    let late = this.#kv.atomic();
    while (await endCreations(this.#kv, late, id)) {
      await late.commit();
      late = this.#kv.atomic();
    }
  }

  async lastUse(credentialId: string): Promise<LastUse | undefined> {
    return (await readRecord(this.#kv, accountKeys.lastUse(credentialId), lastUse))?.value;
  }

  /** Records a use. The record outlives every idle time, then expires. */
  async noteUse(credentialId: string, use: LastUse): Promise<void> {
    const expireIn = 2 * ACCESS_TOKEN_IDLE_MS;
    await this.#kv.set(accountKeys.lastUse(credentialId), use, { expireIn });
  }
}
