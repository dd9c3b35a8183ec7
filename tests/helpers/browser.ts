/**
 * A browser from the API's point of view. The browser keeps its cookie, sends its origin, and names
 * a workspace.
 *
 * @module
 */
import type { ApiAnswer, ApiCaller } from "./platform.ts";
import { authenticatorCode } from "./authenticator.ts";

export const PASSWORD = "correct horse battery";

export interface Visit {
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
  readonly workspace?: string;
}

export class Browser {
  cookie = "";

  readonly #platform: ApiCaller;

  constructor(platform: ApiCaller) {
    this.#platform = platform;
  }

  async send(method: string, path: string, visit: Visit = {}): Promise<ApiAnswer> {
    const answer = await this.#platform.api(method, path, {
      token: null,
      ...(visit.json === undefined ? {} : { json: visit.json }),
      headers: {
        "sec-fetch-site": "same-origin",
        "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        ...(this.cookie === "" ? {} : { cookie: this.cookie }),
        ...(visit.workspace === undefined ? {} : { "x-workspace": visit.workspace }),
        ...visit.headers,
      },
    });
    const set = answer.headers.get("set-cookie");
    if (set !== null) this.cookie = set.slice(0, set.indexOf(";"));
    return answer;
  }

  /** The token inside the cookie. */
  get token(): string {
    return this.cookie.slice(this.cookie.indexOf("=") + 1);
  }

  signIn(email: string, password = PASSWORD): Promise<ApiAnswer> {
    return this.send("POST", "/v1/sign-in", { json: { email, password } });
  }
}

/** Creates an account and signs it in with a new browser. */
export async function signUp(platform: ApiCaller, name: string): Promise<Browser> {
  const browser = new Browser(platform);
  const answer = await browser.send("POST", "/v1/sign-up", {
    json: { name, email: `${name}@example.com`, password: PASSWORD },
  });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.json));
  return browser;
}

/** Creates an account that owns a workspace with the same name. */
export async function signUpWithWorkspace(
  platform: ApiCaller,
  name: string,
): Promise<{ readonly browser: Browser; readonly workspaceId: string }> {
  const browser = await signUp(platform, name);
  const created = await browser.send("POST", "/v1/workspaces", { json: { slug: name, name } });
  if (created.status !== 201) throw new Error(JSON.stringify(created.json));
  return { browser, workspaceId: created.json.id };
}

/** Adds a second account to a workspace with a role. */
export async function join(
  owner: Browser,
  guest: Browser,
  as: { readonly workspace: string; readonly role: string },
): Promise<ApiAnswer> {
  const invited = await owner.send("POST", "/v1/invitations", {
    json: { role: as.role },
    workspace: as.workspace,
  });
  const token = new URL(invited.json.url).pathname.split("/").at(-1);
  return await guest.send("POST", "/v1/invitations/accept", { json: { token } });
}

/** Enrolls an authenticator. Returns its secret and the recovery codes. */
export async function enrol(browser: Browser) {
  const started = await browser.send("POST", "/v1/account/two-factor", {
    json: { password: PASSWORD },
  });
  const { secret } = started.json;
  const code = authenticatorCode(secret, -1);
  const confirmed = await browser.send("POST", "/v1/account/two-factor/confirm", {
    json: { code },
  });
  if (confirmed.status !== 200) throw new Error(JSON.stringify(confirmed.json));
  return { secret: secret as string, recoveryCodes: confirmed.json.recoveryCodes as string[] };
}

/** Returns the names of the account's security events, oldest first. */
export async function eventsOf(browser: Browser): Promise<string[]> {
  const { json } = await browser.send("GET", "/v1/account/security-events?limit=100");
  return json.items.map((item: { event: string }) => item.event).reverse();
}
