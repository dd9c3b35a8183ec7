/**
 * @module The client side of a token exchange (RFC 8693), which exchanges a CI job's token for a
 * key.
 */
import {
  EXCHANGE_GRANT_TYPE,
  type ExchangedKey,
  exchangedKey,
  SUBJECT_TOKEN_TYPES,
} from "../contract/publishers.ts";
import { oauthFailure, type OAuthOptions, parseOAuthAnswer, postFields } from "./oauth_request.ts";

const PATH = "/oauth/token";

interface AskedKey {
  /** The token of the CI job. */
  readonly token: string;
  readonly workspace: string;
  /** The project for which the key is needed, if known. */
  readonly project: string | undefined;
}

/**
 * Exchanges the token of a CI job for a key.
 *
 * @throws {ApiError} if the platform rejects the token, {UnreachableError} if it does not respond,
 *   or {ContractError} if its response is invalid
 */
export async function exchangeToken(asked: AskedKey, options: OAuthOptions): Promise<ExchangedKey> {
  const received = await postFields(PATH, {
    grant_type: EXCHANGE_GRANT_TYPE,
    subject_token: asked.token,
    subject_token_type: SUBJECT_TOKEN_TYPES[0],
    workspace: asked.workspace,
    ...(asked.project === undefined ? {} : { project: asked.project }),
  }, options);
  if (received.status !== 200) throw oauthFailure(received);
  return parseOAuthAnswer(exchangedKey, received.body, `POST ${PATH}`);
}
