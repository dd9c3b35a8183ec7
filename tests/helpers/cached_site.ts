/**
 * A site whose pages are cached in every possible way and change on demand.
 *
 * @module
 */
import { LAYERS } from "./compute_site.ts";
import { deploy, type Files, type TestPlatform } from "./platform.ts";

const server = (version: string) => `
import { createServer } from "node:http";
let value = "first";
let count = 0;
createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (request.method === "POST") {
    value = searchParams.get("v") ?? value;
    return response.end("set");
  }
  response.setHeader("content-type", "text/html");
  response.setHeader("x-count", String(++count));
  if (pathname.startsWith("/declared/")) {
    response.setHeader("svc-cdn-cache-control", "max-age=600");
    response.setHeader("svc-cache-tag", "news");
  }
  if (pathname.startsWith("/rule/cookie/")) response.setHeader("set-cookie", "id=" + count);
  if (pathname.startsWith("/rule/vary/")) response.setHeader("vary", "cookie");
  if (pathname.startsWith("/rule/lang/")) response.setHeader("vary", "accept-language");
  const { cookie = "", authorization = "" } = request.headers;
  const language = request.headers["accept-language"] ?? "";
  const person = pathname.startsWith("/rule/vary/") ? cookie : authorization;
  const text = ["${version}", value, pathname, person, language].join(" ");
  const large = pathname.endsWith("/large") ? "x".repeat(200_000) : "";
  setTimeout(() => response.end(text + large), pathname.startsWith("/slow/") ? 300 : 0);
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const MANIFEST = {
  version: 1,
  layers: LAYERS,
  routes: [
    { pattern: "^/pages/", layer: "app", priority: 20, revalidate: 600 },
    { pattern: "^/(rule|declared|slow|plain|set)", layer: "app", priority: 20 },
    { pattern: "^/.*$", layer: "files", priority: 10 },
  ],
};

const prefix = (value: string) => ({ path: { type: "prefix", value } });

/** Returns the site's rules, including one that adds `mark` to every response. */
export const cachingRules = (mark = "1") => ({
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [
    {
      id: "keep",
      condition: prefix("/rule/"),
      action: { type: "cache", ttlSeconds: 600, swrSeconds: 0 },
    },
    {
      id: "phones",
      condition: prefix("/phones/"),
      action: { type: "rewrite", target: "/pages/phones" },
    },
    { id: "mark", condition: prefix("/"), action: { type: "set_headers", headers: { mark } } },
    {
      id: "curious",
      condition: { ...prefix("/rule/"), headers: { "x-curious": "yes" } },
      action: { type: "set_headers", headers: { curious: "yes" } },
    },
  ],
});

/** Deploys a version of the site. */
export const deployCached = (
  platform: TestPlatform,
  project: string,
  { version = "v1", rules = cachingRules(), files = {} }: {
    readonly version?: string;
    readonly rules?: unknown;
    readonly files?: Files;
  } = {},
) =>
  deploy(platform, project, {
    manifest: MANIFEST,
    rules,
    files: { "index.html": `home ${version}`, "server/entry.mjs": server(version), ...files },
  });
