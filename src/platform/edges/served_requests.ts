/**
 * Requests that front edges served and reported. Each request is added to its project's logs and
 * statistics, with the name of the edge.
 *
 * @module
 */
import type * as z from "zod";
import { type AccessRecord, deviceOf } from "../../edge/mod.ts";
import type { Clock } from "../../lib/clock.ts";
import { RecentMap } from "../../lib/memo.ts";
import type { CountedRequest } from "../../traffic/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import { type servedBody, type ServedRequest, servedRequest } from "./wire.ts";

/**
 * Number of edge processes whose last batch number is kept. Up to twice as many may be in memory.
 */
const MAX_PROCESSES = 256;

export interface ServedRequestsParts {
  readonly deployments: Pick<DeploymentStore, "find">;
  record(entry: AccessRecord): void;
  count(request: CountedRequest): void;
  /** Counts a request toward each rule that matched it; rules are given by ID. */
  match(request: Pick<ServedRequest, "host" | "deploymentId">, ruleIds: readonly string[]): void;
  /** Looks up the country of an IP address. */
  country(address: string): string | undefined;
  readonly now: Clock;
}

export class ServedRequests {
  readonly #batches = new RecentMap<number>(MAX_PROCESSES);
  /** An edge's responses, by the first digit of their status. */
  readonly #answers = new Map<string, number[]>();

  readonly #parts: ServedRequestsParts;

  constructor(parts: ServedRequestsParts) {
    this.#parts = parts;
  }

  /** Returns an edge's response counts, from 1xx to 5xx, since the platform started. */
  answersOf(edge: string): readonly number[] {
    return this.#answers.get(edge) ?? [0, 0, 0, 0, 0];
  }

  /** Records a batch. Returns how many of its entries had to be left out. */
  async take(edge: string, { process, batch, served }: z.infer<typeof servedBody>) {
    const sender = `${edge} ${process}`;
    const parsed = served.map((each) => servedRequest.safeParse(each).data);
    const requests = parsed.filter((each) => each !== undefined);
    const known = await this.#knownDeployments(requests);
    // The edge resends a batch that it considers lost.
    if (batch <= (this.#batches.get(sender) ?? 0)) return 0;
    this.#batches.set(sender, batch);
    const kept = requests.filter((each) => known.has(deploymentOf(each)));
    for (const each of kept) this.#note(edge, each);
    return served.length - kept.length;
  }

  /**
   * Finds the deployments that exist in their projects. Entries for other deployments are forged.
   */
  async #knownDeployments(requests: readonly ServedRequest[]): Promise<ReadonlySet<string>> {
    const named = new Map(requests.map((each) => [deploymentOf(each), each]));
    const found = await Promise.all(
      [...named].map(async ([name, { projectId, deploymentId }]) =>
        await this.#parts.deployments.find(projectId, deploymentId) === undefined ? [] : [name]
      ),
    );
    return new Set(found.flat());
  }

  #note(edge: string, { counted, matched, ...request }: ServedRequest): void {
    const { record, count, match, country, now } = this.#parts;
    const answers = this.#answers.get(edge) ?? [0, 0, 0, 0, 0];
    answers[Math.trunc(request.status / 100) - 1]!++;
    this.#answers.set(edge, answers);
    record({ ...request, edge });
    if (matched !== undefined) match(request, matched);
    if (counted === undefined) return;
    const { ip, userAgent, path } = request;
    count({
      ...request,
      // The request is counted at the time of the report, together with that day's visitors.
      time: now(),
      layer: counted.layer,
      page: counted.isPage ? path.split("?", 1)[0] : undefined,
      client: {
        ip,
        header: (name) =>
          name === "user-agent" ? userAgent : name === "referer" ? counted.referrer : null,
        // A proxy in front of the edge may have sent the country.
        country: () => counted.country ?? country(ip),
        device: () => deviceOf(userAgent),
      },
    });
  }
}

const deploymentOf = ({ projectId, deploymentId }: ServedRequest): string =>
  `${projectId} ${deploymentId}`;
