/** Creates, lists and revokes API keys. @module */
import type { ApiKey } from "../../../contract/api_keys.ts";
import type { BodyOf } from "../../../contract/endpoint.ts";
import type { endpoints } from "../../../contract/endpoints.ts";
import { formatCount } from "../../../lib/format.ts";
import { uuidV7 } from "../../../lib/ids.ts";
import { type Client, Failure } from "../../core/http/mod.ts";
import type { Page, PageRange } from "../../core/store/mod.ts";
import { apiKeyToWire } from "../account_wire.ts";
import { apiKeyPrefix, type ApiKeyRecord, hashApiKey, mintApiKey } from "./api_key.ts";
import type { Caller } from "../../core/access/mod.ts";
import type { AccountParts } from "../parts.ts";

type NewApiKey = BodyOf<typeof endpoints.createApiKey>;
type Change = BodyOf<typeof endpoints.updateApiKey>;

function allowed({ role, permissions, projects }: ApiKeyRecord): string {
  const reach = projects === null ? "" : `, for ${formatCount(projects.length, "project")}`;
  return `${role} with ${permissions.join(", ")}${reach}`;
}

const unknownKey = (id: string) => new Failure("not_found", `API key ${id} does not exist`);

export class ApiKeyService {
  readonly #parts: AccountParts;

  constructor(parts: AccountParts) {
    this.#parts = parts;
  }

  /** Creates a key in the caller's workspace. The key itself is returned only here. */
  async create(
    caller: Caller,
    wanted: NewApiKey,
    client: Client,
  ): Promise<ApiKey & { readonly key: string }> {
    const { credentials, now, random, raise } = this.#parts;
    await this.#check(caller, wanted);
    const key = mintApiKey(random);
    const record: ApiKeyRecord = {
      id: uuidV7(now, random),
      workspaceId: caller.workspace.id,
      userId: caller.user.id,
      name: wanted.name,
      hash: hashApiKey(key),
      prefix: apiKeyPrefix(key),
      role: wanted.role,
      permissions: wanted.permissions,
      projects: wanted.projects,
      description: wanted.description,
      expiresAt: timeOf(wanted.expiresAt),
      createdAt: now(),
      publisherIds: [],
    };
    await credentials.apiKeys.add(record);
    await raise({
      event: "security.api_key_created",
      userId: caller.user.id,
      workspaceId: caller.workspace.id,
      detail: `API key "${record.name}" (${record.prefix}…) was created as ${allowed(record)}`,
      client,
    });
    return { ...apiKeyToWire(record, undefined), key };
  }

  async list(
    caller: Caller,
    range: PageRange,
  ): Promise<Page<ApiKey>> {
    const { credentials } = this.#parts;
    const { items, nextCursor } = await credentials.listApiKeys(caller.workspace.id, range);
    const shown = items.map(async (apiKey) =>
      apiKeyToWire(apiKey, await credentials.lastUse(apiKey.id))
    );
    return { items: await Promise.all(shown), nextCursor };
  }

  /** Changes a key. The change applies to all later requests with the key. */
  async update(
    caller: Caller,
    id: string,
    change: Change,
    client: Client,
  ): Promise<{ readonly before: ApiKey; readonly after: ApiKey }> {
    const { credentials, memory, raise } = this.#parts;
    await this.#check(caller, change);
    const { expiresAt, ...rest } = change;
    let before: ApiKeyRecord | undefined;
    const record = await credentials.updateApiKey(caller.workspace.id, id, (current) => {
      before = current;
      return {
        ...current,
        ...rest,
        ...(expiresAt === undefined ? {} : { expiresAt: timeOf(expiresAt) }),
      };
    });
    if (record === undefined || before === undefined) throw unknownKey(id);
    memory.forget(record.hash);
    await raise({
      event: "security.api_key_changed",
      userId: caller.user.id,
      workspaceId: caller.workspace.id,
      detail: `API key "${record.name}" (${record.prefix}…) was changed: ${allowed(record)}`,
      client,
    });
    const use = await credentials.lastUse(record.id);
    return { before: apiKeyToWire(before, use), after: apiKeyToWire(record, use) };
  }

  async revoke(caller: Caller, id: string, client: Client): Promise<ApiKey> {
    const { credentials, memory, raise } = this.#parts;
    const record = await credentials.removeApiKey(caller.workspace.id, id);
    if (record === undefined) throw unknownKey(id);
    memory.forget(record.hash);
    await raise({
      event: "security.api_key_revoked",
      userId: caller.user.id,
      workspaceId: caller.workspace.id,
      detail: `API key "${record.name}" (${record.prefix}…) was revoked`,
      client,
    });
    return apiKeyToWire(record, undefined);
  }

  /** @throws {Failure} if the expiry is in the past or a project does not exist */
  async #check(
    caller: Caller,
    { expiresAt, projects }: Pick<Change, "expiresAt" | "projects">,
  ): Promise<void> {
    const { credentials, now } = this.#parts;
    const expiry = timeOf(expiresAt ?? null);
    if (expiry !== null && expiry <= now()) {
      throw new Failure("invalid_request", `The key would have expired at ${expiresAt}`, {
        problems: [{ path: "body.expiresAt", message: "Must be in the future" }],
      });
    }
    for (const id of projects ?? []) {
      if (await credentials.hasProject(caller.workspace.id, id)) continue;
      const { slug } = caller.workspace;
      throw new Failure("not_found", `Project "${id}" does not exist in workspace "${slug}"`);
    }
  }
}

function timeOf(at: string | null): number | null {
  return at === null ? null : Date.parse(at);
}
