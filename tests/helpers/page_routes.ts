/**
 * Lists the paths of all pages. The paths come from the code that binds the pages, so tests cover
 * new pages automatically.
 *
 * @module
 */
import { bindPages } from "../../src/web/mod.ts";
import type { ApiCaller } from "./platform.ts";

interface PageRoute {
  readonly method: "GET" | "POST";
  /** The path with its parameters, as in `/deployments/:deployment`. */
  readonly path: string;
}

/**
 * Replaces all services while routes are being bound, because none of them is called at that time.
 */
const anything: unknown = new Proxy(() => {}, {
  get: (_, name) => name === "publicOrigin" ? "http://localhost" : anything,
  apply: () => anything,
});

/** Returns every page and form that `bindPages()` binds, including the ones for the messenger. */
export function pageRoutes(): PageRoute[] {
  const routes: PageRoute[] = [];
  const router = {
    page: (method: PageRoute["method"], path: string) => void routes.push({ method, path }),
    foreign: () => {},
  };
  const [asRouter, services] = [router, anything] as unknown as Parameters<typeof bindPages>;
  bindPages(asRouter, services, { url: "http://localhost", version: "0", now: () => 0 });
  return routes;
}

/** Returns the path of the page on which a person grants access to a program. */
export async function consentPath(platform: ApiCaller): Promise<string> {
  const redirect = "http://127.0.0.1:4711/callback";
  const { json } = await platform.api("POST", "/oauth/register", {
    token: null,
    json: { client_name: "Scripted <b>agent</b>", redirect_uris: [redirect] },
  });
  return `/oauth/authorize?${new URLSearchParams({
    response_type: "code",
    client_id: json.client_id,
    redirect_uri: redirect,
    state: "s",
    code_challenge: "a".repeat(43),
    code_challenge_method: "S256",
  })}`;
}

/** Returns whether a route matches a path, ignoring its query. */
export function leadsTo(route: string, path: string): boolean {
  const parts = path.split("?", 1)[0]!.split("/");
  const wanted = route.split("/");
  return parts.length === wanted.length &&
    wanted.every((part, index) => part.startsWith(":") || part === parts[index]);
}
