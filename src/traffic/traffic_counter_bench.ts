/**
 * @module Measures the cost of counting a request (`deno bench src/traffic`). The target is 1 µs.
 */
import { TrafficCounter } from "./mod.ts";

const BROWSERS = Array.from({ length: 200 }, (_, index) => `Mozilla/5.0 (X11; rv:${index}.0)`);

/** Creates realistic requests, each with new strings. */
function requests(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const ip = `10.${index % 40}.${index % 90}.${index % 7}`;
    const fields = new Map([
      ["user-agent", `${BROWSERS[index % 200]} Gecko`],
      ["referer", `https://site${index % 30}.example/page`],
    ]);
    return {
      projectId: "p",
      deploymentId: `d${index % 3}`,
      host: "shop.localhost",
      layer: "static" as const,
      status: 200,
      bytes: 13_000,
      durationMs: 0.1 + index % 50,
      time: Date.now(),
      client: {
        ip,
        header: (name: string) => fields.get(name) ?? null,
        country: () => "NO",
        device: () => "desktop",
      },
      page: index % 4 === 0 ? `/page/${index % 300}` : undefined,
    };
  });
}

const counter = new TrafficCounter({
  salt: () => Promise.resolve(new Uint8Array(16).fill(3)),
  onError: () => {},
});
counter.prepare(Date.now());
const thousand = requests(1000);

Deno.bench("count 1,000 requests", () => {
  for (const request of thousand) counter.count(request);
});
