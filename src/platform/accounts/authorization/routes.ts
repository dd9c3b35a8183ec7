/** Client registration, and those grants of the token endpoint that start on a page. @module */
import * as z from "zod";
import type { Client, Router } from "../../core/http/mod.ts";
import {
  oauthAnswer,
  OAuthError,
  oauthFailure,
  parseOAuthFields,
  readGrantType,
  readOAuthFields,
} from "../device_login/parse_request.ts";
import type { AuthorizationService, Tokens } from "./authorization_service.ts";
import { isOwnResource, MAX_CLIENT_ID, registrationBody } from "./registration.ts";

/** Maximum size of a registration's body, in bytes. */
const MAX_REGISTRATION_BYTES = 16 * 1024;
/** Maximum size of a token request's body, in bytes. */
const MAX_TOKEN_BYTES = 16 * 1024;

const clientId = z.string("Required").min(1).max(MAX_CLIENT_ID);
const secret = z.string("Required").min(1).max(200);

const codeFields = z.object({
  code: secret,
  client_id: clientId,
  redirect_uri: z.string("Required").min(1).max(500),
  code_verifier: z.string("Required").regex(
    /^[\w.~-]{43,128}$/,
    "Must have 43 to 128 characters",
  ),
});
const resourceField = z.object({ resource: z.string().max(500).optional() });

/** Rejects requests for tokens for another server (RFC 8707, 2.2). */
function requireOwnResource(fields: unknown, publicOrigin: string): void {
  const { resource } = parseOAuthFields(fields, resourceField);
  if (resource === undefined || isOwnResource(resource, publicOrigin)) return;
  throw new OAuthError("invalid_target", `resource must be ${publicOrigin}/mcp`);
}

const refreshFields = z.object({ refresh_token: secret, client_id: clientId });

/** Handles the grants of registered clients. Returns `undefined` for any other grant. */
async function exchangeGrant(
  service: AuthorizationService,
  grantType: string,
  { fields, client }: GrantRequest,
): Promise<Tokens | undefined> {
  if (grantType === "authorization_code") {
    const given = parseOAuthFields(fields, codeFields);
    return await service.exchange({
      code: given.code,
      clientId: given.client_id,
      redirect: given.redirect_uri,
      verifier: given.code_verifier,
    }, client);
  }
  if (grantType !== "refresh_token") return undefined;
  const given = parseOAuthFields(fields, refreshFields);
  return await service.refresh({ token: given.refresh_token, clientId: given.client_id }, client);
}

interface GrantRequest {
  readonly fields: unknown;
  readonly request: Request;
  readonly client: Client;
}

/** Binds `/oauth/register` (RFC 7591) and `/oauth/token`, which accepts every grant. */
export function bindAuthorizationRoutes(router: Router, { service, publicOrigin, otherGrants }: {
  readonly publicOrigin: string;
  readonly service: AuthorizationService;
  /** Grants that do not start on a page, by type. */
  readonly otherGrants: Readonly<Record<string, (asked: GrantRequest) => Promise<object>>>;
}): void {
  router.foreign("POST", "/oauth/token", {
    refuse: oauthFailure,
    answer: ({ request, client }) =>
      oauthAnswer(request, async () => {
        const fields = await readOAuthFields(request, MAX_TOKEN_BYTES);
        const grantType = readGrantType(fields);
        requireOwnResource(fields, publicOrigin);
        const other = Object.hasOwn(otherGrants, grantType) ? otherGrants[grantType] : undefined;
        const asked = { fields, request, client };
        if (other !== undefined) return await other(asked);
        const tokens = await exchangeGrant(service, grantType, asked);
        if (tokens !== undefined) return tokens;
        throw new OAuthError(
          "unsupported_grant_type",
          `Use authorization_code, refresh_token or ${Object.keys(otherGrants).join(" or ")}`,
        );
      }),
  });
  router.foreign("POST", "/oauth/register", {
    refuse: oauthFailure,
    answer: ({ request, client }) =>
      oauthAnswer(request, async () => {
        const fields = await readOAuthFields(request, MAX_REGISTRATION_BYTES);
        const body = parseOAuthFields(fields, registrationBody, "invalid_client_metadata");
        return {
          client_id: await service.register(body, client),
          client_name: body.client_name,
          redirect_uris: body.redirect_uris,
          token_endpoint_auth_method: "none",
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
        };
      }, 201),
  });
}
