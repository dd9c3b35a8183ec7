/** Runs a release's checks at the deployment's own URL, before production serves it. @module */
import type { CheckResult, CommandResult } from "../../../contract/release_checks.ts";
import { sealToken } from "../../../edge/mod.ts";
import type { Clock, Random } from "../../../lib/clock.ts";
import {
  CHECK_COMMANDS_MS,
  CHECK_RETRIES,
  CHECK_TIMEOUT_MS,
  CHECKS_MS,
  type ReleaseChecks,
} from "../../../lib/release_checks.ts";
import { sleep } from "../../../lib/sleep.ts";
import { Failure } from "../../core/http/mod.ts";
import type { Addresses } from "../../core/addresses.ts";
import type { DeploymentRecord } from "../deployment.ts";
import { type AskEdge, type CheckPlace, runCheckRequest } from "./check_request.ts";

export type RunCommands = (
  commands: readonly string[],
  place: CheckPlace,
) => Promise<readonly CommandResult[]>;

interface ReleaseCheckerOptions {
  /** Returns the key that signs tokens for protected hosts. */
  key(): Promise<Uint8Array>;
  readonly ask: AskEdge;
  readonly addresses: Addresses;
  readonly now: Clock;
  readonly random: Random;
  readonly closing: AbortSignal;
}

/** Maximum number of problems in a message. The record has all of them. */
const MAX_NAMED = 3;

/** Thrown if a release fails its checks. Production does not change. */
export class ChecksFailedError extends Failure {
  readonly results: readonly CheckResult[];

  constructor(results: readonly CheckResult[]) {
    const failed = results.filter(({ passed }) => !passed);
    const named = failed.slice(0, MAX_NAMED)
      .map(({ name, problem }) => `${name}: ${problem ?? "failed"}`).join("; ");
    const more = failed.length > MAX_NAMED ? `; and ${failed.length - MAX_NAMED} more` : "";
    super(
      "conflict",
      `${failed.length} of ${results.length} checks failed: ${named}${more}. Production did not change`,
      {
        problems: failed.map(({ name, problem }) => ({
          path: name,
          message: problem ?? "The check failed",
        })),
      },
    );
    this.results = results;
  }
}

export const hasChecks = (checks: ReleaseChecks | undefined): checks is ReleaseChecks =>
  (checks?.requests?.length ?? 0) + (checks?.commands?.length ?? 0) > 0;

export class ReleaseChecker {
  readonly #options: ReleaseCheckerOptions;

  constructor(options: ReleaseCheckerOptions) {
    this.#options = options;
  }

  /**
   * Returns the URL for checking a deployment, and the token that admits its checks' requests.
   */
  async placeOf({ id, projectId, uniqueLabel }: DeploymentRecord): Promise<CheckPlace> {
    const { key, addresses, now, random } = this.#options;
    const bypass = sealToken("check", {
      host: addresses.hostname(uniqueLabel),
      projectId,
      deploymentId: id,
      endsAt: now() + CHECKS_MS + CHECK_COMMANDS_MS,
    }, { key: await key(), random });
    return { url: addresses.url(uniqueLabel), bypass };
  }

  /** Runs all checks. `commands` runs those that need the project's folder, if it is available. */
  async run(
    deployment: DeploymentRecord,
    checks: ReleaseChecks,
    commands: RunCommands | undefined,
  ): Promise<readonly CheckResult[]> {
    const place = await this.placeOf(deployment);
    const results = await this.#requests(checks, place);
    if (commands === undefined || checks.commands === undefined) return results;
    const ran = await commands(checks.commands, place);
    return [...results, ...checks.commands.map((name) => resultOf(name, ran))];
  }

  async #requests(
    { requests = [], timeoutMs = CHECK_TIMEOUT_MS, retries = CHECK_RETRIES }: ReleaseChecks,
    place: CheckPlace,
  ): Promise<readonly CheckResult[]> {
    const { ask, now, closing } = this.#options;
    const signal = AbortSignal.any([AbortSignal.timeout(CHECKS_MS), closing]);
    const results: CheckResult[] = [];
    for (const check of requests) {
      results.push(
        await runCheckRequest(check, { place, ask, timeoutMs, retries, signal, now, pause: sleep }),
      );
    }
    return results;
  }
}

function resultOf(name: string, ran: readonly CommandResult[]): CheckResult {
  const result = ran.find((each) => each.name === name);
  return {
    kind: "command",
    attempts: result === undefined ? 0 : 1,
    ...(result ?? { name, passed: false, durationMs: 0, problem: "The command did not run" }),
  };
}
