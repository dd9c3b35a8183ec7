/** One run of a scheduled task: the request to the server, and its log entry. @module */
import type { SiteDirectory } from "../../edge/mod.ts";
import type { CronRun } from "../../contract/cron.ts";
import {
  type AccessRecord,
  askServer,
  type ServerQuestion,
  type ServerReply,
} from "../../edge/mod.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { messageOf } from "../../lib/error_message.ts";
import type { Addresses } from "../core/addresses.ts";
import type { DeploymentDatabases } from "../databases/mod.ts";

/** The variable with the secret that lets a server recognize the platform's requests. */
const SECRET_VARIABLE = "CRON_SECRET";

const USER_AGENT = "svc-cron";

/** Matches text that is valid in a header field. */
const FIELD_TEXT = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/** The status to log for a request without a response. */
const NO_ANSWER = 502;

interface RunnerServices {
  readonly sites: Pick<SiteDirectory, "deploymentAt" | "resolve">;
  readonly variables: Pick<DeploymentDatabases, "ownVariables">;
  readonly addresses: Addresses;
  record(entry: AccessRecord): void;
  readonly now: Clock;
  readonly random: Random;
  readonly closing: AbortSignal;
}

/** A task in a project's production deployment. */
export interface WantedRun {
  readonly projectId: string;
  /** Production's hostname. */
  readonly hostname: string;
  readonly path: string;
  readonly trigger: CronRun["trigger"];
  /** Maximum number of retries after a failure; missing for a manual run. */
  readonly retries?: number | undefined;
}

export type FinishedRun = CronRun & { readonly durationMs: number };

export class CronRunner {
  readonly #services: RunnerServices;

  constructor(services: RunnerServices) {
    this.#services = services;
  }

  /**
   * Runs a task to completion. Returns `undefined` if production no longer serves a deployment.
   * Never rejects.
   */
  async run(wanted: WantedRun): Promise<FinishedRun | undefined> {
    const { sites, now, random } = this.#services;
    const startedAt = now();
    const requestId = `cron-${random(8).toHex()}`;
    const deploymentId = sites.deploymentAt(wanted.hostname);
    if (deploymentId === undefined) return undefined;
    const reply = await this.#askProduction(wanted, requestId);
    if (reply === undefined) return undefined;
    const durationMs = now() - startedAt;
    const run = finished(reply, {
      path: wanted.path,
      trigger: wanted.trigger,
      deploymentId,
      requestId,
      durationMs,
      startedAt: new Date(startedAt).toISOString(),
    });
    this.#log(wanted, run, reply);
    return run;
  }

  /** Returns `undefined` if production no longer serves a deployment. */
  async #askProduction(wanted: WantedRun, requestId: string): Promise<ServerReply | undefined> {
    try {
      const site = await this.#services.sites.resolve(wanted.hostname);
      return site && await this.#ask(site, wanted, requestId);
    } catch (error) {
      return { type: "failed", message: `Cannot load the deployment: ${messageOf(error)}` };
    }
  }

  async #ask(
    site: Parameters<typeof askServer>[0],
    { projectId, path, hostname }: WantedRun,
    requestId: string,
  ): Promise<ServerReply> {
    const { variables, addresses, closing } = this.#services;
    try {
      const { [SECRET_VARIABLE]: secret } = await variables.ownVariables({
        id: site.deploymentId,
        projectId,
        environment: ENVIRONMENT_PRODUCTION,
        // The git branch matters only for the database branches of previews.
        branch: "",
      });
      if (secret !== undefined && !FIELD_TEXT.test(secret)) {
        const message = `${SECRET_VARIABLE} has characters that are not allowed in a header`;
        return { type: "failed", message };
      }
      const authorization: ServerQuestion["headers"] = secret === undefined
        ? []
        : [["authorization", `Bearer ${secret}`]];
      const { protocol, host } = new URL(addresses.url(hostname.split(".")[0]!));
      return await askServer(site, {
        method: "GET",
        target: path,
        authority: host,
        scheme: protocol === "https:" ? "https" : "http",
        requestId,
        headers: [
          ["accept", "*/*"],
          ["user-agent", USER_AGENT],
          ["x-svc-cron", "1"],
          ...authorization,
        ],
        signal: closing,
      });
    } catch (error) {
      return { type: "failed", message: error instanceof Error ? error.message : String(error) };
    }
  }

  #log({ projectId, hostname, path }: WantedRun, run: FinishedRun, reply: ServerReply): void {
    const { status, error, deploymentId, requestId, durationMs } = run;
    this.#services.record({
      time: Date.parse(run.startedAt),
      projectId,
      deploymentId,
      requestId,
      path,
      durationMs,
      method: "GET",
      host: hostname,
      status: status ?? NO_ANSWER,
      bytes: reply.type === "answered" ? reply.bytes : null,
      ip: "127.0.0.1",
      userAgent: USER_AGENT,
      ...(error === null ? {} : { error }),
    });
  }
}

function finished(
  reply: ServerReply,
  facts: Pick<
    FinishedRun,
    "path" | "trigger" | "deploymentId" | "requestId" | "startedAt" | "durationMs"
  >,
): FinishedRun {
  switch (reply.type) {
    case "answered": {
      const { status } = reply;
      const outcome = status < 400 ? "succeeded" : "failed";
      return { ...facts, outcome, status, error: null };
    }
    case "failed":
      return { ...facts, outcome: "failed", status: reply.status ?? null, error: reply.message };
    case "no_server":
      return {
        ...facts,
        outcome: "failed",
        status: null,
        error: "None of the deployment's servers handles this path",
      };
  }
}
