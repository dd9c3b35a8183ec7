/** Finds the caller of a request, by bearer token (RFC 6750) or session cookie. @module */
import { API_KEY_REQUESTS_PER_HOUR } from "../../../contract/api_keys.ts";
import type { Endpoint } from "../../../contract/endpoint.ts";
import type { Clock } from "../../../lib/clock.ts";
import {
  addressGroup,
  agentName,
  type Client,
  crossOriginFailure,
  Failure,
  type GuardedEndpoint,
  isSafeMethod,
  lackedPermission,
  noteLimit,
  originOf,
} from "../../core/http/mod.ts";
import type { AccountStore } from "../account_store.ts";
import {
  type Caller,
  type KeyGrant,
  type Person,
  RateWindow,
  type SelfCaller,
  selfCallerOf,
} from "../../core/access/mod.ts";
import { CredentialMemory } from "./credential_memory.ts";
import type { CredentialStore } from "./credential_store.ts";
import { hasEnded, type KnownCredential, lesserRole, mayActAs } from "./known_credential.ts";
import { type CookieStyle, readSessionTokens } from "./session_cookie.ts";
import type { LastUsedTracker } from "./last_used_tracker.ts";
import { isOfOneProject, lackedFor } from "../../../contract/endpoint_permissions.ts";
import { formatCount } from "../../../lib/format.ts";

/**
 * Chooses the newest session if all belong to one person. If not, an attacker may have set some of
 * the cookies, so only sessions that started from this IP address and in this browser count.
 */
function chooseSession(
  sessions: readonly KnownCredential[],
  client: Client,
): KnownCredential | undefined {
  const [first] = sessions;
  if (first === undefined || sessions.length === 1) return first;
  if (areOfOnePerson(sessions)) return newest(sessions);
  const [group, agent] = [addressGroup(client.address), agentName(client.userAgent)];
  const own = sessions.filter(({ begunAt, owner }) =>
    begunAt !== null && addressGroup(begunAt) === group && owner.credential.name === agent
  );
  return areOfOnePerson(own) ? newest(own) : undefined;
}

const areOfOnePerson = (sessions: readonly KnownCredential[]): boolean =>
  new Set(sessions.map(({ owner }) => owner.user.id)).size <= 1;

function newest(sessions: readonly KnownCredential[]): KnownCredential | undefined {
  return sessions.toSorted((a, b) => b.createdAt - a.createdAt)[0];
}

/**
 * Checks a key's permissions. The key's access to the project is checked later.
 *
 * @throws {Failure} `forbidden`
 */
function refuseUnpermitted(grant: KeyGrant | undefined, endpoint: GuardedEndpoint): void {
  if (grant === undefined) return;
  const lacked = lackedFor(endpoint, grant.permissions);
  if (lacked !== undefined) throw lackedPermission(grant, lacked);
  if (grant.projects === null || isOfOneProject(endpoint)) return;
  throw new Failure(
    "forbidden",
    "Cannot do this with an API key that is limited to projects, because it affects the whole workspace",
  );
}

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;
const HOUR_MS = 60 * 60 * 1000;

/** States how to send a credential. Part of every 401 response. */
const HOW = "Send Authorization: Bearer <API key>. The CLI reads it from --token or SVC_TOKEN";

interface AuthenticatorOptions {
  readonly isCurrent?: (() => boolean) | undefined;
  readonly accounts: AccountStore;
  readonly credentials: CredentialStore;
  readonly lastUsed: LastUsedTracker;
  readonly cookies: CookieStyle;
  readonly publicOrigin: string;
  readonly now: Clock;
}

/** Name of the workspace header in error messages. */
const WORKSPACE_FIELD = "header.x-workspace";

/** Returns the workspace that a request specifies, in `X-Workspace` or `workspace`. */
function wantedWorkspace(request: Request): string | null {
  const header = request.headers.get("x-workspace");
  if (header !== null) return header;
  return request.url.includes("workspace=")
    ? new URL(request.url).searchParams.get("workspace")
    : null;
}

/** Rejects changes that are requested with a viewer's API key or a read-only token. */
function refuseChangesOfViewers(
  { owner, role: most }: KnownCredential,
  { role, slug }: Caller["workspace"],
  { method }: GuardedEndpoint,
): void {
  const isKey = owner.credential.type === "api_key";
  const isLimited = isKey || !mayActAs(most, "developer");
  if (!isLimited || isSafeMethod(method) || mayActAs(role, "developer")) return;
  if (!isKey) {
    throw new Failure("forbidden", "Cannot change anything with a read-only token", {
      hint: "Log in again and choose read and write access, or use an API key.",
    });
  }
  throw new Failure(
    "forbidden",
    `Cannot change anything with an API key that has the ${role} role in workspace "${slug}": ` +
      "the key needs the developer role",
    { hint: "Use a key with the developer role: svc keys create --role developer" },
  );
}

export class Authenticator {
  /** Credentials and memberships in memory. Every change must be reported to this cache. */
  readonly memory: CredentialMemory;
  /** Counts each API key's requests per hour in memory, so a restart begins a new hour. */
  readonly #quota: RateWindow;

  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.memory = new CredentialMemory(options);
    this.#quota = new RateWindow(
      { limit: API_KEY_REQUESTS_PER_HOUR, windowMs: HOUR_MS, stepMs: 1000 },
      options.now,
    );
  }

  /**
   * Finds who is calling an endpoint, in the workspace that the request is for.
   *
   * @throws {Failure} `unauthorized`; `invalid_request` if a request with a session specifies no
   * workspace; `not_found` if the session's user is not a member; `forbidden` for a workspace other
   * than the key's, or if the role is insufficient.
   */
  async caller(request: Request, endpoint: GuardedEndpoint, client: Client): Promise<Caller> {
    return await this.#callerOf(await this.#known(request, client), request, endpoint);
  }

  /**
   * Checks the caller of an accepted request again, without counting a request.
   *
   * @throws {Failure} for the same reasons as `caller()`
   */
  async recheck(request: Request, endpoint: GuardedEndpoint, client: Client): Promise<Caller> {
    return await this.#callerOf(await this.#standing(request, client), request, endpoint);
  }

  async #callerOf(
    known: KnownCredential,
    request: Request,
    endpoint: GuardedEndpoint,
  ): Promise<Caller> {
    const { user, credential } = known.owner;
    const workspace = known.owner.workspaceId === null
      ? await this.#sessionWorkspace(known, request)
      : await this.#boundWorkspace(known, request, known.owner.workspaceId);
    const { access } = endpoint;
    refuseChangesOfViewers(known, workspace, endpoint);
    refuseUnpermitted(known.grant, endpoint);
    if (access !== "viewer" && access !== "developer" && access !== "owner") {
      throw new TypeError(`${endpoint.path} does not belong to a workspace`);
    }
    if (!mayActAs(workspace.role, access)) {
      throw new Failure(
        "forbidden",
        `Cannot do this with the ${workspace.role} role in workspace "${workspace.slug}": ` +
          `you need the ${access} role`,
        { hint: `Ask a workspace owner for the ${access} role.` },
      );
    }
    return { user, workspace, credential, grant: known.grant };
  }

  /**
   * Finds the person who requests their own resources, and determines which of these resources the
   * credential covers (see `Access` in the contract).
   *
   * @throws {Failure} `unauthorized`; `forbidden` if a key or token is used for another workspace,
   * or if a viewer's key is used for a change.
   */
  async self(request: Request, endpoint: Endpoint, client: Client): Promise<SelfCaller> {
    const known = await this.#known(request, client);
    const { owner } = known;
    if (owner.workspaceId === null) {
      await this.#requireNamedWorkspace(known, request);
      return selfCallerOf(owner);
    }
    const workspace = await this.#boundWorkspace(known, request, owner.workspaceId);
    refuseChangesOfViewers(known, workspace, endpoint);
    refuseUnpermitted(known.grant, endpoint);
    return selfCallerOf(owner);
  }

  /** @throws {Failure} `unauthorized`, or `forbidden` for keys and CLI tokens. */
  async person(request: Request, client: Client): Promise<Person> {
    const known = await this.#known(request, client);
    const { owner } = known;
    if (owner.credential.type !== "session" || owner.workspaceId !== null) {
      throw new Failure(
        "forbidden",
        "Cannot manage an account with an API key or token: sign in with a browser",
      );
    }
    await this.#requireNamedWorkspace(known, request);
    return { ...owner, workspaceId: null };
  }

  /** Finds a page's visitor by cookie only. Returns `undefined` if nobody is signed in. */
  async visitor(request: Request, client: Client): Promise<Person | undefined> {
    const known = await this.#session(request, client);
    if (known === undefined) return undefined;
    this.#options.lastUsed.note(known, client);
    return { ...known.owner, workspaceId: null };
  }

  /** Finds a request's credential. @throws {Failure} `unauthorized` */
  async #standing(request: Request, client: Client): Promise<KnownCredential> {
    const header = request.headers.get("authorization");
    const known = header === null
      ? await this.#bySession(request, client)
      : await this.#byBearer(header);
    if (!hasEnded(known, this.#options.now())) return known;
    this.memory.forget(known.owner.hash);
    throw new Failure("unauthorized", `Credentials have expired. ${HOW}`);
  }

  async #known(request: Request, client: Client): Promise<KnownCredential> {
    const known = await this.#standing(request, client);
    if (known.owner.credential.type === "api_key") {
      this.#count(known.owner.credential.id, request);
    }
    this.#options.lastUsed.note(known, client);
    return known;
  }

  async #byBearer(header: string): Promise<KnownCredential> {
    const token = BEARER.exec(header)?.[1];
    if (token === undefined) {
      throw new Failure("unauthorized", `Authorization header is not a bearer token. ${HOW}`);
    }
    const known = await this.memory.findBearer(token);
    if (known === undefined) {
      throw new Failure("unauthorized", `API key or token is unknown or was revoked. ${HOW}`);
    }
    return known;
  }

  async #session(request: Request, client: Client): Promise<KnownCredential | undefined> {
    const { cookies, now } = this.#options;
    const tokens = readSessionTokens(request, cookies);
    const found = await Promise.all(tokens.map((token) => this.memory.findSession(token)));
    const standing = found.filter((known) => known !== undefined)
      .filter((known) => !hasEnded(known, now()));
    return chooseSession(standing, client);
  }

  async #bySession(request: Request, client: Client): Promise<KnownCredential> {
    const { publicOrigin } = this.#options;
    const known = await this.#session(request, client);
    if (known === undefined) throw new Failure("unauthorized", `Credentials are missing. ${HOW}`);
    if (!isSafeMethod(request.method) && originOf(request, publicOrigin) !== "same") {
      throw crossOriginFailure();
    }
    return known;
  }

  #count(apiKeyId: string, request: Request): void {
    const wait = this.#quota.take(apiKeyId);
    noteLimit(request, "api-key", this.#quota.standing(apiKeyId));
    if (wait === 0) return;
    throw new Failure(
      "rate_limited",
      `The API key has used all of its ${API_KEY_REQUESTS_PER_HOUR} requests for this hour. ` +
        `Try again in ${formatCount(wait, "second")}`,
      { retryAfter: wait },
    );
  }

  async #boundWorkspace(
    known: KnownCredential,
    request: Request,
    workspaceId: string,
  ): Promise<Caller["workspace"]> {
    const { user, credential } = known.owner;
    const workspace = await this.memory.workspaceOf(user.id, workspaceId);
    if (workspace === undefined) {
      throw new Failure("unauthorized", `API key or token is unknown or was revoked. ${HOW}`);
    }
    const wanted = wantedWorkspace(request);
    if (wanted !== null && wanted !== workspace.slug) {
      const what = credential.type === "api_key" ? "API key" : "Access token";
      throw new Failure(
        "forbidden",
        `${what} belongs to workspace "${workspace.slug}", not "${wanted}"`,
        {
          problems: [{ path: WORKSPACE_FIELD, message: `Must be "${workspace.slug}"` }],
          hint: `Remove the workspace from the request, or use a key or token for "${wanted}".`,
        },
      );
    }
    return { ...workspace, role: lesserRole(workspace.role, known.role) };
  }

  /**
   * Checks that the person is a member of the workspace that a request with a session specifies.
   * The workspace is optional.
   */
  async #requireNamedWorkspace(
    { owner }: KnownCredential,
    request: Request,
  ): Promise<void> {
    const slug = wantedWorkspace(request);
    if (slug === null || slug === "") return;
    if (await this.memory.workspaceBySlug(owner.user.id, slug) !== undefined) return;
    throw new Failure("forbidden", `You are not a member of workspace "${slug}"`, {
      problems: [{ path: WORKSPACE_FIELD, message: "Must be one of your workspaces, or omitted" }],
    });
  }

  async #sessionWorkspace(
    { owner }: KnownCredential,
    request: Request,
  ): Promise<Caller["workspace"]> {
    const slug = wantedWorkspace(request);
    if (slug === null || slug === "") {
      throw new Failure("invalid_request", "X-Workspace header is required", {
        hint:
          "Send the slug of your workspace in the header X-Workspace or the query parameter workspace.",
      });
    }
    const workspace = await this.memory.workspaceBySlug(owner.user.id, slug);
    if (workspace === undefined) {
      throw new Failure("not_found", `Workspace "${slug}" does not exist`);
    }
    return workspace;
  }
}
