/**
 * Metrics for the platform's process, named according to OpenTelemetry's semantic conventions.
 *
 * @module
 */
import process from "node:process";
import { ValueType } from "@opentelemetry/api";
import { AggregationTemporality, DataPointType } from "@opentelemetry/sdk-metrics";
import { hrTime, type OtlpResource, SCOPE } from "./log_records.ts";
import type { ResourceMetrics } from "./request_metrics.ts";

interface Measured {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  /** Whether the metric only increases. */
  readonly isMonotonic: boolean;
  /** The metric's values, each with the attributes that distinguish it. */
  readonly values: readonly (readonly [Readonly<Record<string, string>>, number])[];
}

function measure(): readonly Measured[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = Deno.memoryUsage();
  return [
    {
      name: "process.cpu.time",
      description: "Total CPU seconds broken down by different states.",
      unit: "s",
      isMonotonic: true,
      values: [[{ "cpu.mode": "user" }, user / 1e6], [{ "cpu.mode": "system" }, system / 1e6]],
    },
    {
      name: "process.memory.usage",
      description: "The amount of physical memory in use.",
      unit: "By",
      isMonotonic: false,
      values: [[{}, rss]],
    },
    {
      name: "svc.heap.used",
      description: "Heap memory in use on the main thread.",
      unit: "By",
      isMonotonic: false,
      values: [[{}, heapUsed]],
    },
  ];
}

export function processMetrics(
  resource: OtlpResource,
  { startedAt, now }: { readonly startedAt: number; readonly now: number },
): ResourceMetrics {
  const times = { startTime: hrTime(startedAt), endTime: hrTime(now) };
  return {
    resource,
    scopeMetrics: [{
      scope: SCOPE,
      metrics: measure().map(({ name, description, unit, isMonotonic, values }) => ({
        descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
        aggregationTemporality: AggregationTemporality.CUMULATIVE,
        dataPointType: DataPointType.SUM,
        isMonotonic,
        dataPoints: values.map(([attributes, value]) => ({ ...times, attributes, value })),
      })),
    }],
  };
}
