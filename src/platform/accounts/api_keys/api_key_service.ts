/**
 * Making, listing and revoking API keys.
 *
 * @module
 */
import type { ApiKey, Role } from "../../../contract/mod.ts";
import { uuidV7 } from "../../../lib/ids.ts";
import { type Client, Failure } from "../../core/http/mod.ts";
import type { Page } from "../../core/store/mod.ts";
import { apiKeyToWire } from "../account_wire.ts";
import { apiKeyPrefix, type ApiKeyRecord, hashApiKey, mintApiKey } from "./api_key.ts";
import type { Caller } from "../../core/access/mod.ts";
import type { AccountParts } from "../parts.ts";

export class ApiKeyService {
  constructor(private readonly parts: AccountParts) {}

  /** Makes a key for the caller's workspace; the key itself is returned this once. */
  async create(
    caller: Caller,
    wanted: { readonly name: string; readonly role: Role },
    client: Client,
  ): Promise<ApiKey & { readonly key: string }> {
    const { credentials, now, random, raise } = this.parts;
    const key = mintApiKey(random);
    const record: ApiKeyRecord = {
      id: uuidV7(now, random),
      workspaceId: caller.workspace.id,
      userId: caller.user.id,
      name: wanted.name,
      hash: hashApiKey(key),
      prefix: apiKeyPrefix(key),
      role: wanted.role,
      createdAt: now(),
    };
    await credentials.addApiKey(record);
    await raise({
      event: "security.api_key_created",
      userId: caller.user.id,
      workspaceId: caller.workspace.id,
      detail: `API key "${record.name}" (${record.prefix}…) was created as ${record.role}`,
      client,
    });
    return { ...apiKeyToWire(record, undefined), key };
  }

  async list(
    caller: Caller,
    wish: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<Page<ApiKey>> {
    const { credentials } = this.parts;
    const { items, nextCursor } = await credentials.apiKeys(caller.workspace.id, wish);
    const shown = items.map(async (apiKey) =>
      apiKeyToWire(apiKey, await credentials.lastUse(apiKey.id))
    );
    return { items: await Promise.all(shown), nextCursor };
  }

  async revoke(caller: Caller, id: string, client: Client): Promise<void> {
    const { credentials, memory, raise } = this.parts;
    const record = await credentials.removeApiKey(caller.workspace.id, id);
    if (record === undefined) throw new Failure("not_found", `API key ${id} does not exist`);
    memory.forget(record.hash);
    await raise({
      event: "security.api_key_revoked",
      userId: caller.user.id,
      workspaceId: caller.workspace.id,
      detail: `API key "${record.name}" (${record.prefix}…) was revoked`,
      client,
    });
  }
}
