/**
 * A thousand redirects in the edge, in nginx (map) and in Caddy (map).
 *
 * @module
 */
import { join } from "node:path";
import { BARE, withBare } from "./_bare.ts";
import { type BenchPlace, describeProgram, withHttpsPlace } from "./_bench_place.ts";
import { withPeers } from "./_peers.ts";
import { race } from "./_race.ts";

const COUNT = 1000;

const redirects: ReadonlyMap<string, string> = new Map(
  Array.from({ length: COUNT }, (_, index) => [`/old/page-${index}`, `/new/${index}`]),
);

/**
 * Distance between two consecutively requested pages: the order is scattered, but covers all
 * thousand pages.
 */
const STRIDE = 379;

const PATHS = Array.from(
  { length: COUNT },
  (_, index) => `/old/page-${(index + 1) * STRIDE % COUNT}`,
);

/** The same order as {@link PATHS}. */
const LUA = `
local number = 0
request = function()
  number = (number + ${STRIDE}) % ${COUNT}
  return wrk.format("GET", "/old/page-" .. number)
end
`;

async function deployRules({ site, tool }: BenchPlace): Promise<void> {
  const rules = [...redirects].map(([from, to], index) =>
    [
      "[[rules]]",
      `id = "page-${index}"`,
      `condition = { path = { type = "exact", value = "${from}" } }`,
      `action = { type = "redirect", target = "${to}", statusCode = 301 }`,
    ].join("\n")
  );
  const text = `schemaVersion = "EDGE_RULE_SET_V1"\n\n${rules.join("\n\n")}\n`;
  await Deno.writeTextFile(join(site, "svc.rules.toml"), text);
  await Deno.writeTextFile(join(site, "index.html"), "<h1>Bench</h1>");
  await tool(["init", "--name", "bench", "--create"]);
  await tool(["deploy", "--prod"]);
}

/** Runs the bench and returns its report. */
export async function benchRedirects(): Promise<string> {
  return await withHttpsPlace(async (place) => {
    const { folder, site, platform, certificate } = place;
    await deployRules(place);
    const script = join(folder, "redirects.lua");
    await Deno.writeTextFile(script, LUA);
    const peerSite = { folder, root: site, certificate, redirects };
    return await withPeers(peerSite, async (peers) => {
      const host = "bench.localhost";
      const svc = { ...platform, name: "svc", host };
      const table = await withBare(
        folder,
        { ...svc, paths: PATHS },
        (bare) =>
          race([svc, ...[bare, ...peers].map((peer) => ({ ...peer, host }))], {
            path: "/",
            many: { script, paths: PATHS },
            rounds: 6,
            seconds: 2,
            aims: { nginx: 0.9, Caddy: 3 },
            processorAims: { [BARE]: 1.15 },
          }),
      );
      return `${COUNT} redirects, 32 requests at once (svc ${describeProgram()})\n\n${table}`;
    });
  });
}
