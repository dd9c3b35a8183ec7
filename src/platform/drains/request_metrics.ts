/**
 * Request metrics, counted from the access log: the `http.server.request.duration` histogram of
 * OpenTelemetry's semantic conventions. The histogram is cumulative, so a failed export loses
 * nothing.
 *
 * @module
 */
import type { ProtobufMetricsSerializer } from "@opentelemetry/otlp-transformer";
import { ValueType } from "@opentelemetry/api";
import { AggregationTemporality, DataPointType } from "@opentelemetry/sdk-metrics";
import type { LogEntry } from "../../contract/logs.ts";
import { hrTime, type OtlpResource, SCOPE } from "./log_records.ts";

/** The metrics of one resource, in the serializer's format. */
export type ResourceMetrics = Parameters<typeof ProtobufMetricsSerializer.serializeRequest>[0];

/** The histogram's bucket bounds that the conventions recommend, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/**
 * Maximum number of time series per drain. Beyond it, the series that has been idle longest is
 * dropped.
 */
const MAX_SERIES = 1000;
/** Methods that have their own series. Clients can send any method. */
const METHODS = new Set([
  "CONNECT",
  "DELETE",
  "GET",
  "HEAD",
  "OPTIONS",
  "PATCH",
  "POST",
  "PUT",
  "TRACE",
]);

interface Series {
  readonly resource: OtlpResource;
  readonly method: string;
  readonly status: number;
  /** When the first request of the series arrived, in milliseconds since the epoch. */
  readonly start: number;
  readonly counts: number[];
  count: number;
  sum: number;
}

type Request = Pick<Extract<LogEntry, { type: "request" }>, "method" | "status" | "durationMs">;

export class RequestMetrics {
  /** Keyed by deployment, method and status, with the most recently used at the end. */
  readonly #series = new Map<string, Series>();
  #hasNew = false;

  add(
    { deploymentId, resource, now }: {
      readonly deploymentId: string;
      readonly resource: OtlpResource;
      readonly now: number;
    },
    request: Request,
  ): void {
    const method = METHODS.has(request.method) ? request.method : "_OTHER";
    const key = `${deploymentId} ${method} ${request.status}`;
    const series = this.#series.get(key) ??
      { resource, method, status: request.status, start: now, counts: [], count: 0, sum: 0 };
    if (series.count === 0) series.counts.push(...new Array(BOUNDS.length + 1).fill(0));
    this.#series.delete(key);
    this.#series.set(key, series);
    if (this.#series.size > MAX_SERIES) this.#series.delete(this.#series.keys().next().value!);
    const seconds = request.durationMs / 1000;
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
    series.counts[bucket === -1 ? BOUNDS.length : bucket]!++;
    series.count++;
    series.sum += seconds;
    this.#hasNew = true;
  }

  /** Returns the metrics by resource; empty if nothing has been counted since the last call. */
  collect(now: number): ResourceMetrics[] {
    if (!this.#hasNew) return [];
    this.#hasNew = false;
    const byResource = Map.groupBy(this.#series.values(), ({ resource }) => resource);
    return [...byResource].map(([resource, list]) => ({
      resource,
      scopeMetrics: [{
        scope: SCOPE,
        metrics: [{
          descriptor: {
            name: "http.server.request.duration",
            description: "Duration of HTTP server requests.",
            unit: "s",
            valueType: ValueType.DOUBLE,
          },
          aggregationTemporality: AggregationTemporality.CUMULATIVE,
          dataPointType: DataPointType.HISTOGRAM,
          dataPoints: list.map(({ method, status, start, counts, count, sum }) => ({
            startTime: hrTime(start),
            endTime: hrTime(now),
            attributes: { "http.request.method": method, "http.response.status_code": status },
            value: { buckets: { boundaries: BOUNDS, counts: [...counts] }, count, sum },
          })),
        }],
      }],
    }));
  }
}
