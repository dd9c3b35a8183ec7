/** @module Parses a request to `/oauth/authorize` (RFC 6749, 4.1.1; 7636, 4.3; 8707). Pure. */
import * as z from "zod";
import {
  isOwnResource,
  isRegistered,
  type RegisteredClient,
  type Scope,
  scopeOf,
} from "../../platform/accounts/mod.ts";

/** The part of a request that says where to redirect, which is checked before anything else. */
export interface Destination {
  readonly clientId: string;
  readonly client: RegisteredClient;
  readonly redirect: string;
  readonly state: string | undefined;
}

export interface AuthorizationRequest extends Destination {
  readonly challenge: string;
  readonly scope: Scope;
}

/** An error that is sent to the program (RFC 6749, 4.1.2.1). */
export interface Refused {
  readonly error: string;
  readonly description: string;
}

const MAX_STATE = 1024;

const fields = z.object({
  response_type: z.literal("code", "response_type must be code"),
  code_challenge: z.string("code_challenge is missing: PKCE is required")
    .regex(
      /^[A-Za-z0-9_-]{43}$/,
      "code_challenge must be the SHA-256 of the verifier, in base64url",
    ),
  code_challenge_method: z.literal("S256", "code_challenge_method must be S256"),
  scope: z.string().max(200).optional(),
  resource: z.string().max(500).optional(),
});

/** Reads the redirect target. If the target is invalid, returns the reason. */
export function readDestination(
  query: URLSearchParams,
  client: RegisteredClient | undefined,
): Destination | string {
  const redirect = query.get("redirect_uri");
  const state = query.get("state") ?? undefined;
  if (client === undefined) return "This app is not registered here. It must register again.";
  for (const name of ["client_id", "redirect_uri", "state"]) {
    if (query.getAll(name).length > 1) return `The app sent ${name} more than once.`;
  }
  if (redirect === null || !isRegistered(redirect, client.redirects)) {
    return "The app asked to redirect to a URL that it did not register.";
  }
  if (state !== undefined && state.length > MAX_STATE) {
    return `The app sent a state longer than ${MAX_STATE} characters.`;
  }
  return { clientId: query.get("client_id") ?? "", client, redirect, state };
}

export function readRequest(
  query: URLSearchParams,
  destination: Destination,
  publicOrigin: string,
): AuthorizationRequest | Refused {
  const repeated = Object.keys(fields.shape).find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined) {
    return { error: "invalid_request", description: `${repeated} appears more than once` };
  }
  const responseType = query.get("response_type");
  const parsed = fields.safeParse(Object.fromEntries(query));
  if (!parsed.success) {
    const error = responseType !== null && responseType !== "code"
      ? "unsupported_response_type"
      : "invalid_request";
    return { error, description: parsed.error.issues.map(({ message }) => message).join("; ") };
  }
  const { resource, scope, code_challenge: challenge } = parsed.data;
  if (resource !== undefined && !isOwnResource(resource, publicOrigin)) {
    return { error: "invalid_target", description: `resource must be ${publicOrigin}/mcp` };
  }
  return { ...destination, challenge, scope: scopeOf(scope) };
}

/** Returns the redirect URL that passes the result to the program. */
export function answerAddress(
  { redirect, state }: Pick<Destination, "redirect" | "state">,
  answer: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirect);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set("state", state);
  return url.href;
}
