/** Exchanges a workflow job's token for a key (RFC 8693). @module */
import {
  type ExchangedKey,
  ISSUED_TOKEN_TYPE,
  type PublisherProvider,
} from "../../../contract/publishers.ts";
import { uuidV7 } from "../../../lib/ids.ts";
import { RateWindow } from "../../core/access/mod.ts";
import type { Client } from "../../core/http/mod.ts";
import { type AuditLog, EXCHANGED } from "../../audit/mod.ts";
import { apiKeyPrefix, type ApiKeyRecord, hashApiKey, mintApiKey } from "../api_keys/api_key.ts";
import { OAuthError, requireOAuthRate } from "../device_login/parse_request.ts";
import type { AccountParts } from "../parts.ts";
import type { IssuerKeys } from "./issuer_keys.ts";
import { decideTrust, type Trust } from "./match_publisher.ts";
import type { PublisherRecord } from "./publisher.ts";
import { namedIssuer, TokenRefused, type VerifiedToken, verifyToken } from "./verify_token.ts";
import { readWorkflowRun, type WorkflowRun } from "./workflow_run.ts";

const MINUTE_MS = 60_000;
const EXCHANGES_PER_MINUTE = 60;

/**
 * Maximum number of exchanges per token. A GitHub Actions step requests a new token each time, but
 * a GitLab CI job has only one token.
 */
const MOST_EXCHANGES: Readonly<Record<PublisherProvider, number>> = { github: 1, gitlab: 50 };

export interface AskedExchange {
  readonly token: string;
  readonly workspace: string;
  /** ID or name of the project that the key is for. */
  readonly project: string | undefined;
}

interface Workspace {
  readonly id: string;
  readonly slug: string;
}

const refused = (reason: string) =>
  new OAuthError("invalid_request", `Token was refused: ${reason}`);

interface ExchangeServiceSources {
  readonly keys: IssuerKeys;
  readonly audit: Pick<AuditLog, "record">;
}

export class ExchangeService {
  readonly #window: RateWindow;

  readonly #parts: AccountParts;
  readonly #sources: ExchangeServiceSources;

  constructor(parts: AccountParts, sources: ExchangeServiceSources) {
    this.#parts = parts;
    this.#sources = sources;
    this.#window = new RateWindow(
      { limit: EXCHANGES_PER_MINUTE, windowMs: MINUTE_MS },
      parts.now,
    );
  }

  /** @throws {OAuthError} that describes what is wrong with the token, or why it is not trusted */
  async exchange(asked: AskedExchange, client: Client): Promise<ExchangedKey> {
    requireOAuthRate(this.#window, client);
    try {
      return await this.#exchange(asked, client);
    } catch (error) {
      if (error instanceof TokenRefused) throw refused(error.message);
      throw error;
    }
  }

  async #exchange(asked: AskedExchange, client: Client): Promise<ExchangedKey> {
    const { publicOrigin: audience, publishers, now } = this.#parts;
    const issuer = await namedIssuer(asked.token);
    const id = await this.#parts.accounts.findWorkspaceId(asked.workspace);
    const trusted = id === undefined ? [] : await publishers.ofIssuer(id, issuer);
    if (id === undefined || trusted.length === 0) {
      throw refused(
        `workspace "${asked.workspace}" has no trusted publisher with the issuer ${issuer}`,
      );
    }
    const { keys } = this.#sources;
    const token = await verifyToken(asked.token, { issuer, audience, keys, now });
    const run = readRun(trusted, token, issuer);
    const trust = await this.#decide(trusted, { run, asked, workspaceId: id });
    return await this.#issue({ token, run, trust, issuer }, {
      workspace: { id, slug: asked.workspace },
      client,
    });
  }

  async #decide(trusted: readonly PublisherRecord[], { run, asked, workspaceId }: {
    readonly run: WorkflowRun;
    readonly asked: AskedExchange;
    readonly workspaceId: string;
  }): Promise<Trust> {
    const { accounts, publishers } = this.#parts;
    const { project } = asked;
    const projectId = project === undefined
      ? undefined
      : await publishers.projectId(workspaceId, project) ?? null;
    const trust = decideTrust(trusted, { run, projectId });
    if (typeof trust === "string") throw refused(trust);
    const members = await Promise.all(
      trust.publishers.map(({ userId }) => accounts.memberships.find(userId, workspaceId)),
    );
    if (!members.includes(undefined)) return trust;
    throw refused("the member who added its trusted publisher has left: add the publisher again");
  }

  async #issue({ token, run, trust, issuer }: {
    readonly token: VerifiedToken;
    readonly run: WorkflowRun;
    readonly trust: Trust;
    readonly issuer: string;
  }, { workspace, client }: {
    readonly workspace: Workspace;
    readonly client: Client;
  }): Promise<ExchangedKey> {
    const { publishers, now, random } = this.#parts;
    const secret = mintApiKey(random);
    const { publishers: granting, keySeconds } = trust;
    const at = now();
    const key = makeKey({ secret, trust, run, at, id: uuidV7(now, random) });
    const outcome = await publishers.exchange({
      token: {
        issuer,
        id: token.id,
        lives: token.endsAt - at,
        most: MOST_EXCHANGES[granting[0].provider],
      },
      key,
      keyLives: keySeconds * 1000,
      granting,
      at,
      repositoryId: run.repositoryId,
      subject: run.subject,
    });
    if (outcome === "used") throw refused("it was already exchanged: request another one");
    if (outcome === "gone") {
      throw refused("its trusted publisher has just been removed");
    }
    await this.#record(key, workspace, client);
    return {
      access_token: secret,
      issued_token_type: ISSUED_TOKEN_TYPE,
      token_type: "Bearer",
      expires_in: keySeconds,
      scope: key.permissions.join(" "),
      expires_at: new Date(at + keySeconds * 1000).toISOString(),
      workspace_slug: workspace.slug,
    };
  }

  async #record(key: ApiKeyRecord, workspace: Workspace, client: Client): Promise<void> {
    const user = await this.#parts.accounts.users.find(key.userId);
    await this.#sources.audit.record({
      workspaceId: workspace.id,
      action: EXCHANGED,
      path: "/oauth/token",
      project: null,
      requestId: null,
      address: client.address,
      target: { id: key.id, name: key.name },
      changes: [{ field: "permissions", from: null, to: key.permissions.join(", ") }],
      user: { id: key.userId, name: user?.name ?? "" },
      credential: { type: "api_key", id: key.id, name: key.name },
    });
  }
}

/** Parses a token as the first provider that recognizes its claims. */
function readRun(
  trusted: readonly PublisherRecord[],
  { claims }: VerifiedToken,
  issuer: string,
): WorkflowRun {
  const reasons: string[] = [];
  for (const provider of new Set(trusted.map((each) => each.provider))) {
    const run = readWorkflowRun(provider, { claims, issuer });
    if (typeof run !== "string") return run;
    reasons.push(run);
  }
  throw refused(reasons.join("; "));
}

function makeKey({ secret, trust, run, at, id }: {
  readonly secret: string;
  readonly trust: Trust;
  readonly run: WorkflowRun;
  readonly at: number;
  readonly id: string;
}): ApiKeyRecord {
  const { publishers: [publisher, ...others], permissions, projects, keySeconds } = trust;
  return {
    id,
    workspaceId: publisher.workspaceId,
    userId: publisher.userId,
    name: `${run.repository} at ${run.ref.name}`.slice(0, 100),
    hash: hashApiKey(secret),
    prefix: apiKeyPrefix(secret),
    role: "developer",
    permissions: [...permissions],
    projects: projects && [...projects],
    description: `Run ${run.run} of ${run.subject}`.slice(0, 500),
    expiresAt: at + keySeconds * 1000,
    createdAt: at,
    publisherIds: [publisher, ...others].map(({ id }) => id),
  };
}
