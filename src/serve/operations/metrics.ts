/** The platform's metrics in Prometheus's text format 0.0.4. @module */

import type { EdgeFacts } from "../../platform/edges/mod.ts";

/** Status code classes, by first digit. */
const CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

export type Part = "api" | "edge";
const PARTS: readonly Part[] = ["api", "edge"];

/** Counts responses by status code class. Nothing else about a request is stored. */
export class RequestCounters {
  readonly #counts = new Float64Array(PARTS.length * CLASSES.length);

  add(part: Part, status: number): void {
    const group = Math.min(CLASSES.length, Math.max(1, Math.trunc(status / 100))) - 1;
    this.#counts[PARTS.indexOf(part) * CLASSES.length + group]!++;
  }

  /** Yields every counter, including those that are 0. */
  *entries(): Iterable<readonly [part: Part, group: typeof CLASSES[number], count: number]> {
    for (const [at, part] of PARTS.entries()) {
      for (const [index, group] of CLASSES.entries()) {
        yield [part, group, this.#counts[at * CLASSES.length + index]!];
      }
    }
  }
}

/** Values that are measured when the metrics are requested. */
interface ProcessFacts {
  readonly version: string;
  readonly isReady: boolean;
  /** Start time, in seconds since 1970. */
  readonly startedAt: number;
  /** CPU time, in seconds. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Number of unhandled errors since the start. */
  readonly unhandledErrors: number;
  readonly counters: RequestCounters;
  readonly edges: readonly EdgeFacts[];
}

function family(
  name: string,
  type: "gauge" | "counter",
  { help, samples }: {
    readonly help: string;
    readonly samples: readonly (readonly [string, number])[];
  },
): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

/** Renders the metrics. The same values always result in the same text. */
export function renderMetrics(facts: ProcessFacts): string {
  const one = (help: string, value: number) => ({ help, samples: [["", value]] as const });
  const local = facts.edges.filter(({ isLocal }) => isLocal);
  const requests = [...facts.counters.entries()].map(([part, group, count]) => {
    const at = CLASSES.indexOf(group);
    // Any of the processes on the port can respond to a request, so their counts are added
    // together.
    const more = part === "edge" ? local : [];
    const total = more.reduce((sum, { answers }) => sum + answers[at]!, count);
    return [`{part="${part}",code="${group}"}`, total] as const;
  });
  const answers = facts.edges.flatMap(({ name, answers }) =>
    CLASSES.map((group, at) => [`{edge="${name}",code="${group}"}`, answers[at]!] as const)
  );
  const connected = facts.edges.map(({ name, isConnected }) =>
    [`{edge="${name}"}`, isConnected ? 1 : 0] as const
  );
  const ofEdges = facts.edges.length === 0 ? [] : [
    family("svc_edge_connected", "gauge", {
      help: "1 if the front edge follows the platform.",
      samples: connected,
    }),
    family("svc_edge_requests_total", "counter", {
      help: "Requests that a front edge handled without the platform.",
      samples: answers,
    }),
  ];
  return [
    family("svc_build_info", "gauge", {
      help: "Always 1, with the version of the program.",
      samples: [[`{version="${facts.version}"}`, 1]],
    }),
    family("svc_ready", "gauge", one("1 if the platform is ready.", facts.isReady ? 1 : 0)),
    family("svc_http_requests_total", "counter", {
      help: "Requests that got a response.",
      samples: requests,
    }),
    family(
      "svc_unhandled_errors_total",
      "counter",
      one("Unhandled errors.", facts.unhandledErrors),
    ),
    family("process_start_time_seconds", "gauge", one("Start time, since 1970.", facts.startedAt)),
    family("process_cpu_seconds_total", "counter", one("CPU time.", facts.cpuSeconds)),
    family("process_resident_memory_bytes", "gauge", one("Resident memory.", facts.residentBytes)),
    family("svc_heap_used_bytes", "gauge", one("Heap of the main thread.", facts.heapBytes)),
    ...ofEdges,
  ].join("");
}

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
