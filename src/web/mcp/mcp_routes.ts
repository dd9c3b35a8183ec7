/**
 * @module `/mcp`: the Model Context Protocol over HTTP, and the protected resource metadata (RFC
 * 9728). Accepts only bearer tokens, never a browser session.
 */
import type { Endpoint } from "../../contract/endpoint.ts";
import { lackedFor } from "../../contract/endpoint_permissions.ts";
import {
  type Client,
  Failure,
  type ForeignVisit,
  originOf,
  readJson,
  type Router,
} from "../../platform/core/http/mod.ts";
import { chooseProject, type Surroundings, ToolFailure } from "../../agents/tool.ts";
import { ApiError } from "../../client/errors.ts";
import { createClient } from "../../client/client.ts";
import { endpoints } from "../../contract/endpoints.ts";
import * as z from "zod";

const query = z.strictObject({
  project: z.string().min(1).max(100).optional(),
  "read-only": z.enum(["true", "false"]).default("false"),
});

interface AgentLimits {
  /** The only project that the agent can access. */
  readonly project: string | undefined;
  /** Whether only read-only tools are offered. */
  readonly readOnly: boolean;
}

/**
 * @throws {Failure} `invalid_request` for unknown parameters, because a misspelled parameter would
 * not limit the agent.
 */
function readQuery(params: URLSearchParams): AgentLimits {
  const parsed = query.safeParse(Object.fromEntries(params));
  if (parsed.success && params.size === new Set(params.keys()).size) {
    return { project: parsed.data.project, readOnly: parsed.data["read-only"] === "true" };
  }
  throw new Failure(
    "invalid_request",
    "URL is not valid: /mcp accepts project=<name> and read-only=true, each at most once",
  );
}

function toFailure(error: unknown): ToolFailure | undefined {
  if (error instanceof ToolFailure) return error;
  if (!(error instanceof ApiError) || error.code === undefined) return undefined;
  const { message, code, problems, retryAfter } = error;
  return new ToolFailure({
    error: message,
    code,
    ...problems.length === 0 ? {} : { problems },
    ...retryAfter === undefined ? {} : { hint: `Try again in ${Math.ceil(retryAfter / 1000)} s` },
  });
}

/** Creates the environment for the tools of one request. */
function makeSurroundings(
  router: Pick<Router, "fetch">,
  { request, client, project, now }: {
    readonly request: Request;
    readonly client: Client;
    readonly project: string | undefined;
    now(): number;
  },
): Surroundings {
  const authorization = request.headers.get("authorization") ?? "";
  const api = createClient({
    baseUrl: new URL(request.url).origin,
    retries: { retries: 0, firstPause: 0, longestPause: 0 },
    signal: request.signal,
    fetch: (address, init) => {
      const inner = new Request(address, init);
      inner.headers.set("authorization", authorization);
      return router.fetch(inner, client);
    },
  });
  return {
    project,
    now,
    api: () => Promise.resolve(api),
    async open(given) {
      const name = chooseProject(given, project);
      if (name === undefined) {
        throw new ToolFailure({
          error: "Project is missing: set `project`",
          code: "action_required",
          hint:
            "list_projects lists the projects. ?project=<name> in this server's URL sets a default",
        });
      }
      return { api, project: await api.call(endpoints.getProject, { params: { project: name } }) };
    },
    usualDatabase: () => Promise.resolve(undefined),
    toFailure,
  };
}

/** Maximum length of a message from an agent, in bytes. */
const MAX_MESSAGE_BYTES = 256 * 1024;
/** Maximum number of messages in a batch. */
const MAX_MESSAGES = 10;

/** The minimum access, which every tool needs. The API itself authorizes each call. */
const ACCESS = { access: "viewer", method: "GET", path: "/mcp" } as const;

/**
 * Path of the metadata for `/mcp` (RFC 9728, 3.1), and a second path for clients that leave the
 * resource's path out of the URL.
 */
const METADATA_PATH = "/.well-known/oauth-protected-resource/mcp";
const METADATA_PATHS = [METADATA_PATH, "/.well-known/oauth-protected-resource"];

interface McpOptions {
  readonly publicOrigin: string;
  readonly version: string;
  now(): number;
}

/**
 * Returns a failure as a JSON-RPC error. If the request has no credential, the response tells the
 * client where to get one.
 */
function refuse(failure: Failure, publicOrigin: string): Response {
  const { code, message, status, retryAfter } = failure;
  const metadata = `resource_metadata="${publicOrigin}${METADATA_PATH}"`;
  const wrong = status === 401 && message !== MISSING ? `error="invalid_token", ` : "";
  return Response.json({
    jsonrpc: "2.0",
    id: null,
    error: { code: status >= 500 ? -32603 : -32600, message, data: { code } },
  }, {
    status,
    headers: {
      "cache-control": "no-store",
      ...status === 401 ? { "www-authenticate": `Bearer ${wrong}${metadata}` } : {},
      ...retryAfter === undefined ? {} : { "retry-after": `${retryAfter}` },
    },
  });
}

const MISSING = "Credentials are missing. Send the header Authorization: Bearer <token or API key>";

async function readMessage(request: Request): Promise<unknown> {
  const { value } = await readJson(request, MAX_MESSAGE_BYTES);
  if (Array.isArray(value) && value.length > MAX_MESSAGES) {
    throw new Failure("invalid_request", `Send at most ${MAX_MESSAGES} messages at a time`);
  }
  return value;
}

export function bindMcp(router: Router, { publicOrigin, version, now }: McpOptions): void {
  const answer = async ({ request, client, caller }: ForeignVisit): Promise<Response> => {
    if (request.headers.has("origin") && originOf(request, publicOrigin) !== "same") {
      throw new Failure("forbidden", "Cannot accept a request from another site");
    }
    if (!request.headers.has("authorization")) throw new Failure("unauthorized", MISSING);
    const { workspace, grant } = await caller(request, ACCESS);
    const limits = readQuery(new URL(request.url).searchParams);
    const { project } = limits;
    const mayCall = (endpoint: Endpoint) =>
      grant === undefined || lackedFor(endpoint, grant.permissions) === undefined;
    const onlyReads = grant?.permissions.every((each) => each === "read") ?? false;
    const readOnly = limits.readOnly || onlyReads || workspace.role === "viewer";
    const body = await readMessage(request);
    const { answerAgent } = await import("./answer_agent.ts");
    const around = makeSurroundings(router, { request, client, project, now });
    return await answerAgent(request, { body, around, readOnly, mayCall, version });
  };
  router.foreign("POST", "/mcp", { answer, refuse: (failure) => refuse(failure, publicOrigin) });
  const metadata = {
    resource: `${publicOrigin}/mcp`,
    authorization_servers: [publicOrigin],
    bearer_methods_supported: ["header"],
    scopes_supported: ["read", "write"],
    resource_name: "svc",
  };
  for (const path of METADATA_PATHS) {
    router.page("GET", path, () =>
      Response.json(metadata, {
        headers: { "access-control-allow-origin": "*", "cache-control": "no-store" },
      }));
  }
}
