/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The figures on the edge page: cache, rate limits and functions over the last day. */
import type { LayerTimes, TrafficReport } from "../../contract/traffic.ts";
import { Card } from "../layout/pieces.tsx";
import { Empty } from "../layout/board_pieces.tsx";

/** Layers whose responses can be cached, and the cache itself. */
const CACHEABLE: readonly LayerTimes["layer"][] = ["cache", "function", "server", "proxy"];

const number = (value: number): string => value.toLocaleString("en-US");

const TOO_MANY = 429;

/**
 * Returns the fraction of responses that came from the cache, excluding static files; `null` if
 * there are no responses.
 */
export function cacheHitRate(times: readonly LayerTimes[]): number | null {
  const countOf = (layers: readonly string[]) =>
    times.reduce((sum, { layer, count }) => layers.includes(layer) ? sum + count : sum, 0);
  const all = countOf(CACHEABLE);
  return all === 0 ? null : countOf(["cache"]) / all;
}

const percent = (share: number | null): string =>
  share === null ? "–" : `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;

const milliseconds = (value: number): string => `${number(value)} ms`;

function Functions({ times }: { readonly times: LayerTimes | undefined }) {
  if (times === undefined) {
    return <p class="soft">No functions were called.</p>;
  }
  return (
    <dl class="figures">
      <div>
        <dt>Function calls</dt>
        <dd>{number(times.count)}</dd>
      </div>
      <div class={times.failures > 0 ? "bad" : undefined}>
        <dt>Function errors</dt>
        <dd>{number(times.failures)}</dd>
      </div>
      {(["p50", "p95", "p99"] as const).map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{milliseconds(times[name])}</dd>
        </div>
      ))}
    </dl>
  );
}

export function EdgeFigures({ traffic, path, url }: {
  readonly traffic: TrafficReport;
  /** The site's URL. */
  readonly url: string;
  readonly path: string;
}) {
  const { times, statuses, totals } = traffic;
  const limited = statuses.find(({ status }) => status === TOO_MANY)?.count ?? 0;
  return (
    <Card
      title="The last 24 hours"
      id="figures"
      lead={
        <>
          Production only. <a href={path}>All traffic</a>
        </>
      }
    >
      {totals.requests === 0
        ? (
          <Empty title="No requests yet" command={`curl -I ${url}`}>
            No requests in production yet. Try:
          </Empty>
        )
        : (
          <div class="body">
            <dl class="figures">
              <div>
                <dt>Requests</dt>
                <dd>{number(totals.requests)}</dd>
              </div>
              <div>
                <dt>Cache hit rate</dt>
                <dd>{percent(cacheHitRate(times))}</dd>
              </div>
              <div>
                <dt>Rate limited (429)</dt>
                <dd>{number(limited)}</dd>
              </div>
              <div class={totals.failures > 0 ? "bad" : undefined}>
                <dt>Failures</dt>
                <dd>{number(totals.failures)}</dd>
              </div>
            </dl>
            <Functions times={times.find(({ layer }) => layer === "function")} />
            <p class="soft small">
              The hit rate covers responses from functions, servers and other sites. Static files
              are not cached. 429 includes your rate limits and 429s returned by your server. Rule
              matches are counted since the platform started.
            </p>
          </div>
        )}
    </Card>
  );
}
