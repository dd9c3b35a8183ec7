/**
 * @module Gets a key for a CI job that has none configured: exchanges the identity token of the
 * GitHub Actions or GitLab CI workflow for a short-lived key.
 */
import * as z from "zod";
import { ApiError } from "../../client/errors.ts";
import { exchangeToken } from "../../client/exchange_token.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Clock } from "../../lib/clock.ts";
import { isSecureUrl } from "../../lib/secure_url.ts";
import type { JobIdentity } from "./job_identity.ts";

/** Remaining lifetime at which a key is renewed, in milliseconds. */
const RENEW_MS = 60_000;
/** Maximum length of a response with a token, in characters. */
const MAX_ANSWER = 64 * 1024;

const DOCS = "docs/ci.md";
const tokenAnswer = z.object({ value: z.string().min(1) });

interface Surroundings {
  readonly apiUrl: string;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  readonly now: Clock;
}

function refuse(what: string, hint: string, cause?: unknown): CliError {
  return new CliError("unauthorized", `Cannot get a key for this job: ${what}`, { hint, cause });
}

/** Asks GitHub for a token. The request goes only to the URL that the runner provides. */
async function askGitHub(
  { url, secret }: Extract<JobIdentity, { type: "github" }>,
  { audience, ...by }: Pick<Surroundings, "fetch" | "signal"> & { readonly audience: string },
): Promise<string> {
  const address = URL.parse(url);
  if (address?.protocol !== "https:") {
    throw refuse(
      "ACTIONS_ID_TOKEN_REQUEST_URL is not an https URL",
      "Do not change the variables of the runner",
    );
  }
  address.searchParams.set("audience", audience);
  let text: string;
  try {
    const response = await by.fetch(address, {
      headers: { authorization: `Bearer ${secret}`, accept: "application/json; api-version=2.0" },
      redirect: "error",
      signal: by.signal,
    });
    text = (await response.text()).slice(0, MAX_ANSWER);
    if (!response.ok) throw new Error(`it responded with status ${response.status}`);
  } catch (cause) {
    if (by.signal.aborted) throw by.signal.reason;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw refuse(
      `${address.host} returned no token: ${why}`,
      "Add `id-token: write` to the `permissions` of the job and run it again",
      cause,
    );
  }
  const answer = tokenAnswer.safeParse(parse(text));
  if (!answer.success) throw refuse(`${address.host} returned no token`, `See ${DOCS}`);
  return answer.data.value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the platform's origin, which is the audience of tokens. @throws {CliError} if it does not
 * use https
 */
function audienceOf(apiUrl: string): string {
  const url = new URL(apiUrl);
  const { origin } = url;
  if (isSecureUrl(url)) return origin;
  throw refuse(`${origin} is not https`, "Set SVC_API_URL to the platform's https URL");
}

/** Gets keys for a job, and reuses each key until shortly before it expires. */
export class JobKeys {
  readonly #known = new Map<string, Promise<{ key: string; endsAt: number }>>();

  readonly #identity: JobIdentity;
  readonly #by: Surroundings;

  constructor(identity: JobIdentity, by: Surroundings) {
    this.#identity = identity;
    this.#by = by;
  }

  /** Gets a key for a workspace. @throws {CliError} if none is available */
  async key(workspace: string | undefined, project: string | undefined): Promise<string> {
    if (workspace === undefined) {
      throw refuse("it has no workspace", "Set SVC_WORKSPACE, or workspace in svc.toml");
    }
    const place = `${workspace} ${project ?? ""}`;
    const pending = this.#known.get(place);
    const known = pending && await pending;
    if (known !== undefined && known.endsAt - this.#by.now() > RENEW_MS) return known.key;
    if (this.#known.get(place) !== pending) return await this.key(workspace, project);
    const asked = this.#exchange(workspace, project);
    this.#known.set(place, asked);
    try {
      return (await asked).key;
    } catch (error) {
      if (this.#known.get(place) === asked) this.#known.delete(place);
      throw error;
    }
  }

  async #exchange(workspace: string, project: string | undefined) {
    const { apiUrl, fetch, signal, now } = this.#by;
    const audience = audienceOf(apiUrl);
    const token = this.#identity.type === "gitlab"
      ? this.#identity.token
      : await askGitHub(this.#identity, { fetch, signal, audience });
    try {
      const answer = await exchangeToken({ token, workspace, project }, {
        baseUrl: apiUrl,
        fetch,
        signal,
        now,
      });
      return { key: answer.access_token, endsAt: now() + answer.expires_in * 1000 };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      throw refuse(
        error.message,
        `Ask an owner to trust the workflow with \`svc keys publishers add\`. See ${DOCS}`,
        error,
      );
    }
  }
}
