/**
 * A 13 KB page from the edge, nginx and Caddy, each with its access log on.
 *
 * @module
 */
import { join } from "node:path";
import { BARE, withBare } from "./_bare.ts";
import { describeProgram, withHttpsPlace } from "./_bench_place.ts";
import { withPeers } from "./_peers.ts";
import { race } from "./_race.ts";

const PAGE_BYTES = 13 * 1024;

/** Runs the bench and returns its report. */
export async function benchEdge(): Promise<string> {
  return await withHttpsPlace(async ({ folder, site, platform, certificate, tool }) => {
    const page = `<!doctype html><title>Bench</title><p>${"0123456789abcdef".repeat(1000)}`;
    await Deno.writeTextFile(join(site, "index.html"), page.slice(0, PAGE_BYTES));
    await tool(["init", "--name", "bench", "--create"]);
    await tool(["deploy", "--prod"]);
    const peerSite = { folder, root: site, certificate, redirects: new Map() };
    return await withPeers(peerSite, async (peers) => {
      const host = "bench.localhost";
      const svc = { ...platform, name: "svc", host };
      const table = await withBare(
        folder,
        { ...svc, paths: ["/"] },
        (bare) =>
          race([svc, ...[bare, ...peers].map((peer) => ({ ...peer, host }))], {
            path: "/",
            rounds: 6,
            seconds: 2,
            aims: { nginx: 0.7, Caddy: 3 },
            processorAims: { [BARE]: 1.1 },
          }),
      );
      return `A 13 KB page, 32 requests at once (svc ${describeProgram()})\n\n${table}`;
    });
  });
}
