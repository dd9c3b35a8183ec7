/**
 * From an `Authorization: Bearer` header (RFC 6750) to a caller.
 *
 * @module
 */
import { Failure } from "../http/failure.ts";
import type { AccountStore } from "./account_store.ts";
import { type ApiKeyRecord, hashApiKey } from "./api_key.ts";
import type { Caller } from "./caller.ts";

/** Keys that stay known in memory, so that a warm request reads no store. */
const MAX_REMEMBERED = 10_000;

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

/** How to get a credential, said in each 401. */
const HOW = "Send Authorization: Bearer <API key>; the tool takes it from --token or SVC_TOKEN";

/** Authenticates requests by API key; remembers the keys it has seen. */
export class Authenticator {
  private readonly remembered = new Map<string, Caller>();

  constructor(private readonly store: AccountStore) {}

  /** @throws {Failure} `unauthorized` or, for another workspace, `forbidden`. */
  async authenticate(request: Request): Promise<Caller> {
    const header = request.headers.get("authorization");
    if (header === null) throw new Failure("unauthorized", `Credentials are missing. ${HOW}`);
    const token = BEARER.exec(header)?.[1];
    if (token === undefined) {
      throw new Failure("unauthorized", `Authorization header is not a bearer token. ${HOW}`);
    }
    const caller = await this.findCaller(hashApiKey(token));
    if (caller === undefined) {
      throw new Failure("unauthorized", `API key is unknown or was revoked. ${HOW}`);
    }
    const wanted = request.headers.get("x-workspace");
    if (wanted !== null && wanted !== caller.workspace.slug) {
      throw new Failure(
        "forbidden",
        `API key belongs to workspace "${caller.workspace.slug}", not "${wanted}"`,
      );
    }
    return caller;
  }

  private async findCaller(hash: string): Promise<Caller | undefined> {
    const known = this.remembered.get(hash);
    if (known !== undefined) return known;
    const apiKey = await this.store.findApiKey(hash);
    const caller = apiKey === undefined ? undefined : await this.load(apiKey);
    if (caller === undefined) return undefined;
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    this.remembered.set(hash, caller);
    return caller;
  }

  private async load(apiKey: ApiKeyRecord): Promise<Caller | undefined> {
    const [user, workspace, membership] = await Promise.all([
      this.store.findUser(apiKey.userId),
      this.store.findWorkspace(apiKey.workspaceId),
      this.store.findMembership(apiKey.userId, apiKey.workspaceId),
    ]);
    if (user === undefined || workspace === undefined || membership === undefined) return undefined;
    const { id, slug, name } = workspace;
    return {
      user: { id: user.id, name: user.name, email: user.email },
      workspace: { id, slug, name, role: membership.role },
      credential: {
        type: "api_key",
        id: apiKey.id,
        name: apiKey.name,
        prefix: apiKey.prefix,
        createdAt: new Date(apiKey.createdAt).toISOString(),
      },
    };
  }
}
