/**
 * Deploys two projects that fail: `shop` in a function, and `ferry` in its server. Both throw
 * errors whose text becomes markup wherever it is not escaped.
 *
 * @module
 */
import { until } from "../../src/lib/_test_until.ts";
import { deployServer, MANIFEST } from "./compute_site.ts";
import type { DashboardPlatform } from "./dashboard.ts";
import { publish, rule } from "./upstreams.ts";

/** Markup that sets `document.title`, or creates an element, wherever it is not escaped. */
export const MARKUP = `"><script>document.title="taken"</script><img src=x onerror="taken()">`;

const FUNCTION = `class TideError extends Error {
  override name = "TideError";
}
function fail(path: string): never {
  throw new TideError("No tide for " + decodeURI(path) + ${JSON.stringify(MARKUP)});
}
export default (request: Request) => {
  console.log("asked for " + ${JSON.stringify(MARKUP)});
  return fail(new URL(request.url).pathname);
};
`;

const SERVER = `
import { createServer } from "node:http";
createServer((request, response) => {
  if (!request.url.startsWith("/api/boats")) return response.end("ok");
  const error = new TypeError(${JSON.stringify(`No boat ${MARKUP}`)});
  error.stack = "TypeError: No boat " + ${JSON.stringify(MARKUP)} +
    "\\n    at <script>taken()</script> (file:///app/boats.js:3:7)";
  console.error(error.stack);
  response.statusCode = 500;
  response.end("failed");
}).listen(Number(process.env.PORT));
`;

/**
 * The manifest of `ferry`. The project's queue also fails on the first attempt, but its task does
 * not.
 */
const FERRY = {
  ...MANIFEST,
  queues: [{ name: "boats", path: "/api/boats", retries: 0 }],
  cron: [{ path: "/api/tides", schedule: "0 6 * * *" }],
};

const HEADERS = { "user-agent": MARKUP, referer: `https://other.example/${encodeURI(MARKUP)}` };

interface FailedSite {
  /** The deployment that caused the error. */
  readonly deployment: string;
  readonly error: string;
}

/** Makes both projects fail. Returns the origin of each error once the error has been counted. */
export async function failSites(
  { api, own, platform }: Pick<DashboardPlatform, "api" | "own" | "platform">,
  /** A name to use instead of `shop` if that name is taken. */
  shop = "shop",
): Promise<Readonly<Record<"shop" | "ferry", FailedSite>>> {
  for (const name of [shop, "ferry"]) await api("POST", "/v1/projects", { name });
  const brought = {
    shop: await publish(own, shop, {
      functions: { tides: FUNCTION },
      rules: [rule("tides", { type: "pipeline", steps: [{ handle: "tides" }] }, "/tides/")],
    }),
    ferry: await deployServer(own, "ferry", { server: SERVER, manifest: FERRY }),
  };
  const path = `/${encodeURI(`${MARKUP}?q=${MARKUP}`)}`;
  await platform.get(`${shop}.localhost`, `/tides${path}`, HEADERS);
  await platform.get("ferry.localhost", `/api/boats${path}`, HEADERS);
  const errorOf = async (name: string, deployment: string) => {
    const { items: [error] } = await until(
      async () => (await api("GET", `/v1/projects/${name}/errors`)).json,
      ({ items }) => items[0]?.title.includes("No ") === true,
    );
    return { deployment, error: error.id as string };
  };
  return {
    shop: await errorOf(shop, brought.shop.id),
    ferry: await errorOf("ferry", brought.ferry.id),
  };
}
