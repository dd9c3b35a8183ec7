/**
 * A platform that trusts workflows from an issuer on the loopback address.
 *
 * @module
 */
import assert from "node:assert/strict";
import { EXCHANGE_GRANT_TYPE, SUBJECT_TOKEN_TYPES } from "../../src/contract/publishers.ts";
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import { type CiIssuer, startIssuer } from "./ci_issuer.ts";
import { type ApiAnswer, start, type TestPlatform } from "./platform.ts";

export interface CiPlatform {
  readonly platform: TestPlatform;
  readonly issuer: CiIssuer;
  /** The audience that tokens must have. */
  readonly audience: string;
  /** Adds a publisher for the issuer's `octo-org/octo-repo`. */
  trust(more?: Readonly<Record<string, unknown>>): Promise<{ readonly id: string }>;
}

/** Runs a test with an issuer and a platform that is allowed to reach it. */
export async function withCi(run: (parts: CiPlatform) => Promise<void>): Promise<void> {
  const dataDir = await makeTestFolder("svc-publishers-");
  await using issuer = await startIssuer();
  const platform = await start(dataDir, { allowPrivateUpstreams: true });
  try {
    await run({
      platform,
      issuer,
      audience: new URL(platform.url).origin,
      async trust(more = {}) {
        const { status, json } = await platform.api("POST", "/v1/trusted-publishers", {
          json: {
            provider: "github",
            repository: "octo-org/octo-repo",
            issuer: issuer.url,
            permissions: ["read"],
            ...more,
          },
        });
        assert.equal(status, 201, JSON.stringify(json));
        return json;
      },
    });
  } finally {
    await platform.shutdown();
    await Deno.remove(dataDir, { recursive: true });
  }
}

/** Exchanges a token by sending a form to the token endpoint. */
export async function askExchange(
  platform: Pick<TestPlatform, "url">,
  fields: Readonly<Record<string, string>>,
): Promise<ApiAnswer> {
  const response = await fetch(new URL("/oauth/token", platform.url), {
    method: "POST",
    body: new URLSearchParams({
      grant_type: EXCHANGE_GRANT_TYPE,
      subject_token_type: SUBJECT_TOKEN_TYPES[0],
      workspace: "default",
      ...fields,
    }),
  });
  return { status: response.status, headers: response.headers, json: await response.json() };
}
