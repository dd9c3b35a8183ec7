import assert from "node:assert/strict";
import type { HostBinding } from "../../feed/mod.ts";
import { compileSite, type Site } from "../site/site.ts";
import { SiteDirectory } from "./site_directory.ts";

function site(deploymentId: string): Site {
  return compileSite({
    deploymentId,
    projectId: "p",
    manifest: { version: 1, layers: [], routes: [] },
    files: [],
    rules: null,
    blobs: {
      read: () => Promise.reject(new Error("no blobs here")),
      stream: () => Promise.reject(new Error("no blobs here")),
    },
  });
}

const target = (deploymentId: string, version: string): HostBinding => ({
  projectId: "p",
  deploymentId,
  production: false,
  version,
});

function directory(
  loads: string[] = [],
  options: { maxLoaded?: number; disposed?: string[] } = {},
) {
  return new SiteDirectory({
    load: ({ deploymentId }) => {
      loads.push(deploymentId);
      return Promise.resolve(deploymentId === "gone" ? undefined : site(deploymentId));
    },
    asShown: (site) => Promise.resolve(site),
    dispose: ({ deploymentId }) => options.disposed?.push(deploymentId),
    ...options,
  });
}

const shown = async (sites: SiteDirectory, hostname: string) =>
  (await sites.resolve(hostname))?.deploymentId;

Deno.test("SiteDirectory.resolve() immediately returns the site of a known host", async () => {
  const sites = directory();
  await sites.point("a.localhost", target("d1", "1"));
  const found = sites.resolve("a.localhost");
  assert.ok(found !== undefined && !(found instanceof Promise));
  assert.equal(found.deploymentId, "d1");
  assert.equal(sites.resolve("b.localhost"), undefined);
});

Deno.test("SiteDirectory.point() keeps the later commit, regardless of which loads first", async () => {
  const sites = directory();
  await sites.point("a.localhost", target("new", "2"));
  await sites.point("a.localhost", target("old", "1"));
  assert.equal(await shown(sites, "a.localhost"), "new");
});

Deno.test("SiteDirectory loads a deployment once for all its hosts", async () => {
  const loads: string[] = [];
  const sites = directory(loads);
  sites.pointLazily("a.localhost", target("d1", ""));
  sites.pointLazily("b.localhost", target("d1", ""));
  assert.deepEqual(
    await Promise.all([shown(sites, "a.localhost"), shown(sites, "b.localhost")]),
    ["d1", "d1"],
  );
  assert.deepEqual(loads, ["d1"]);
});

Deno.test("SiteDirectory.resolve() returns nothing for a deployment that is not served", async () => {
  const sites = directory();
  sites.pointLazily("a.localhost", target("gone", ""));
  assert.equal(await shown(sites, "a.localhost"), undefined);
});

Deno.test("SiteDirectory unloads sites when too many are loaded, and loads them again", async () => {
  const loads: string[] = [];
  const sites = directory(loads, { maxLoaded: 2 });
  for (const id of ["d1", "d2", "d3", "d4"]) {
    sites.pointLazily(`${id}.localhost`, target(id, ""));
    assert.equal(await shown(sites, `${id}.localhost`), id);
  }
  assert.equal(await shown(sites, "d1.localhost"), "d1");
  assert.deepEqual(loads, ["d1", "d2", "d3", "d4", "d1"]);
});

Deno.test("SiteDirectory.removeDeployment() and removeProject() take hosts offline", async () => {
  const sites = directory();
  await sites.point("a.localhost", target("d1", "1"));
  await sites.point("b.localhost", target("d2", "1"));
  sites.removeDeployment("d1");
  assert.equal(sites.resolve("a.localhost"), undefined);
  assert.equal(await shown(sites, "b.localhost"), "d2");
  sites.removeProject("p");
  assert.equal(sites.resolve("b.localhost"), undefined);
});

Deno.test("SiteDirectory only disposes of sites that it removes", async () => {
  const disposed: string[] = [];
  const sites = directory([], { disposed });
  await sites.point("a.localhost", target("d1", "1"));
  await sites.point("b.localhost", target("d2", "1"));
  sites.remove("a.localhost");
  sites.removeDeployment("d2");
  await Promise.resolve();
  assert.deepEqual(disposed, ["d2"], "d1 can still be served on other hosts");
  sites.close();
  await Promise.resolve();
  assert.deepEqual(disposed, ["d2", "d1"]);
});
