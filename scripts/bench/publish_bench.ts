/**
 * The time from publishing a rule set to its first effect, and the memory that ten thousand rules
 * need in the platform.
 *
 * @module
 */
import { join } from "node:path";
import { fetchByHost } from "../_fetch_by_host.ts";
import { type BenchPlace, describeProgram, peakMemory, withBenchPlace } from "./_bench_place.ts";
import { formatTable, whole } from "./_table.ts";

const SIZES = [10, 1_000, 10_000];

function ruleSet(size: number): string {
  const rules = Array.from({ length: size }, (_, index) => ({
    id: `r${index}`,
    condition: { path: { type: "exact", value: `/p${index}` } },
    action: { type: "redirect", target: `/${size}`, statusCode: 302 },
  }));
  return JSON.stringify({ schemaVersion: "EDGE_RULE_SET_V1", rules });
}

/**
 * Publishes a rule set, and sends requests until it affects one of them. Returns both times in
 * milliseconds.
 */
async function publish({ platform, token }: BenchPlace, size: number) {
  const url = `${platform.url}/v1/projects/bench/rules`;
  const authorization = `Bearer ${token}`;
  const current = await fetch(url, { headers: { authorization } });
  await current.body?.cancel();
  const started = performance.now();
  const answer = await fetch(url, {
    method: "PUT",
    headers: {
      authorization,
      "content-type": "application/json",
      "if-match": current.headers.get("etag") ?? "*",
    },
    body: ruleSet(size),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Cannot publish ${size} rules: ${text.slice(0, 500)}`);
  const answered = performance.now() - started;
  for (;;) {
    const path = `/p${size - 1}`;
    const page = await fetchByHost({ port: platform.port, host: "bench.localhost", path });
    if (page.headers.location === `/${size}`) break;
    if (performance.now() - started > 10_000) throw new Error("The rules had no effect");
  }
  return { answered, effective: performance.now() - started };
}

/** Runs the bench and returns its report. */
export async function benchPublish(): Promise<string> {
  return await withBenchPlace(async (place) => {
    await Deno.writeTextFile(join(place.site, "index.html"), "<h1>Bench</h1>");
    await place.tool(["init", "--name", "bench", "--create"]);
    await place.tool(["deploy", "--prod"]);
    const rows: string[][] = [];
    for (const size of SIZES) {
      const { answered, effective } = await publish(place, size);
      const peak = peakMemory(place.platform.pid) / 1024 / 1024;
      rows.push([whole(size), answered.toFixed(1), effective.toFixed(1), `${whole(peak)} MB`]);
    }
    const headings = ["rules", "answered ms", "first effect ms", "platform's peak"];
    return `Publishing rules (svc ${describeProgram()})\n\n${formatTable(headings, rows)}`;
  });
}
