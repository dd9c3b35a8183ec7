/**
 * A token issuer for workflows, on the loopback address. The issuer publishes a discovery document
 * and keys, and issues tokens with the claims that GitHub Actions and GitLab CI document.
 *
 * @module
 */
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { stopServer } from "../../src/lib/stop_server.ts";

type Algorithm = "RS256" | "ES256";
type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];
type Claims = Readonly<Record<string, unknown>>;

export interface CiIssuer extends AsyncDisposable {
  /** The `iss` claim of the issuer's tokens. */
  readonly url: string;
  /** Requested paths. */
  readonly asked: string[];
  /** Responses that replace the issuer's documents, by path. */
  readonly answers: Map<string, () => Response>;
  /** The public keys that the issuer publishes. */
  readonly keys: Claims[];
  /** Creates a key and publishes it. */
  addKey(kid: string, algorithm?: Algorithm): Promise<void>;
  /** Signs a token that is valid for five minutes. */
  sign(claims: Claims, more?: { readonly kid?: string; readonly header?: Claims }): Promise<string>;
}

export const KEYS_PATH = "/keys";
export const DISCOVERY_PATH = "/.well-known/openid-configuration";

/** Starts an issuer under a path, as on a GitHub Enterprise Server. */
export async function startIssuer(
  path = "",
  { cert, key }: { readonly cert?: string; readonly key?: string } = {},
): Promise<CiIssuer> {
  const asked: string[] = [];
  const answers = new Map<string, () => Response>();
  const keys: Claims[] = [];
  const secrets = new Map<string, { readonly alg: Algorithm; readonly key: PrivateKey }>();
  const tls = cert === undefined || key === undefined ? {} : { cert, key };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, ...tls },
    (request): Response => {
      const { pathname } = new URL(request.url);
      const place = pathname.slice(path.length);
      asked.push(place);
      const answer = answers.get(place);
      if (answer !== undefined) return answer();
      if (place === KEYS_PATH) return Response.json({ keys });
      if (place !== DISCOVERY_PATH) return new Response(null, { status: 404 });
      return Response.json({ issuer: url, jwks_uri: `${url}${KEYS_PATH}` });
    },
  );
  const origin = cert === undefined ? "http://127.0.0.1" : "https://localhost";
  const url: string = `${origin}:${server.addr.port}${path}`;
  const issuer: CiIssuer = {
    url,
    asked,
    answers,
    keys,
    async addKey(kid, alg = "RS256") {
      const pair = await generateKeyPair(alg, { extractable: true });
      secrets.set(kid, { alg, key: pair.privateKey });
      keys.push({ ...await exportJWK(pair.publicKey), kid, alg, use: "sig" });
    },
    sign(claims, { kid = "first", header = {} } = {}) {
      const { alg, key } = secrets.get(kid)!;
      const now = Math.floor(Date.now() / 1000);
      const whole = { iss: url, iat: now, nbf: now - 5, exp: now + 300, ...claims } as JWTPayload;
      return new SignJWT(whole).setProtectedHeader({ typ: "JWT", alg, kid, ...header }).sign(key);
    },
    async [Symbol.asyncDispose]() {
      await stopServer(server);
    },
  };
  await issuer.addKey("first");
  return issuer;
}

/** Returns the claims of a GitHub Actions job started by a push to main. */
export const githubClaims = (audience: string, more: Claims = {}): Claims => ({
  jti: crypto.randomUUID(),
  sub: "repo:octo-org/octo-repo:ref:refs/heads/main",
  aud: audience,
  ref: "refs/heads/main",
  sha: "example-sha",
  repository: "octo-org/octo-repo",
  repository_owner: "octo-org",
  actor_id: "12",
  repository_visibility: "private",
  repository_id: "74",
  repository_owner_id: "65",
  run_id: "1000000001",
  run_number: "10",
  run_attempt: "2",
  runner_environment: "github-hosted",
  actor: "octocat",
  workflow: "example-workflow",
  workflow_ref: "octo-org/octo-repo/.github/workflows/deploy.yml@refs/heads/main",
  head_ref: "",
  base_ref: "",
  event_name: "push",
  ref_type: "branch",
  job_workflow_ref: "octo-org/octo-automation/.github/workflows/oidc.yml@refs/heads/main",
  ...more,
});

/** Returns the claims of a GitLab CI job started by a push to main. */
export const gitlabClaims = (
  { audience, issuer }: { readonly audience: string; readonly issuer: string },
  more: Claims = {},
): Claims => ({
  jti: crypto.randomUUID(),
  aud: audience,
  sub: "project_path:my-group/sub/my-project:ref_type:branch:ref:main",
  namespace_id: "72",
  namespace_path: "my-group/sub",
  project_id: "20",
  project_path: "my-group/sub/my-project",
  user_id: "1",
  user_login: "sample-user",
  user_email: "sample-user@example.com",
  pipeline_id: "574",
  pipeline_source: "push",
  job_id: "302",
  ref: "main",
  ref_type: "branch",
  ref_path: "refs/heads/main",
  ref_protected: "true",
  environment: "production",
  environment_protected: "false",
  deployment_tier: "production",
  runner_id: 1,
  runner_environment: "self-hosted",
  sha: "714a629c0b401fdce83e847fc9589983fc6f46bc",
  project_visibility: "public",
  ci_config_ref_uri: `${
    issuer.replace(/^https?:\/\//, "")
  }/my-group/sub/my-project//.gitlab-ci.yml@refs/heads/main`,
  ci_config_sha: "714a629c0b401fdce83e847fc9589983fc6f46bc",
  ...more,
});
