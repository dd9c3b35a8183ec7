import assert from "node:assert/strict";
import { DomainHosts } from "../../../edge/mod.ts";
import { PendingChallenges } from "../../certificates/challenges.ts";
import { createHostDispatch } from "./host_dispatch.ts";

const hosts = new DomainHosts();
const route = { projectId: "p", environment: "production", host: "p.localhost" };
hosts.replaceZone("shop.example", [
  { hostname: "www.shop.example", route: { ...route, redirectTo: "shop.example" } },
]);
const challenges = new PendingChallenges();
challenges.add("t", "t.key");

const dispatch = createHostDispatch({
  isApi: (hostname) => hostname === "localhost",
  api: () => new Response("api"),
  edge: (request, { remoteAddress }) =>
    new Response(`edge ${new URL(request.url).hostname} ${remoteAddress}`),
  hosts,
  challenges: { answer: ({ url }) => challenges.answer(url) },
  wantsHttps: (hostname) => hostname === "secure.example",
});

const CHALLENGE = "/.well-known/acme-challenge/t";
const rows = [
  ["http", "http://localhost/v1", "api"],
  ["https", "https://localhost/v1", "api"],
  ["http", "http://any.example/", "edge any.example 192.0.2.7"],
  ["https", "https://secure.example/", "edge secure.example 192.0.2.7"],
  ["http", "http://secure.example/a", "308 https://secure.example/a"],
  ["http", `http://secure.example${CHALLENGE}`, "t.key"],
  ["http", `http://www.shop.example${CHALLENGE}`, "t.key"],
  ["https", `https://any.example${CHALLENGE}`, "edge any.example 192.0.2.7"],
  ["http", "http://www.shop.example/a?b", "308 http://shop.example/a?b"],
  ["https", "https://WWW.shop.example./a", "308 https://shop.example/a"],
  ["http", "https://www.shop.example/a", "308 http://shop.example/a"],
  ["https", "http://www.shop.example:81/a", "308 https://shop.example:81/a"],
] as const;

const connection = { remoteAddress: "192.0.2.7", hold: () => {} };

for (const [side, url, wanted] of rows) {
  Deno.test(`createHostDispatch() responds to ${url} with ${wanted}`, async () => {
    const response = await dispatch[side](new Request(url), { ...connection, scheme: side });
    const location = response.headers.get("location");
    const seen = location === null ? await response.text() : `${response.status} ${location}`;
    assert.equal(seen, wanted);
  });
}
