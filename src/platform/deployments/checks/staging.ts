/** Serves a deployment only at its own URL while its checks run. @module */
import type { CheckReport, CheckResult } from "../../../contract/release_checks.ts";
import type { SiteDirectory } from "../../../edge/mod.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { ReleaseChecks } from "../../../lib/release_checks.ts";
import { SingleFlight } from "../../../lib/single_flight.ts";
import type { Addresses } from "../../core/addresses.ts";
import { Failure } from "../../core/http/mod.ts";
import type { DeploymentRecord } from "../deployment.ts";
import type { DeploymentStore } from "../deployment_store.ts";
import { StaleDecisionError } from "../host_labels.ts";
import type { Rollouts } from "../rollouts.ts";
import type { DeployedServers } from "../running_code.ts";
import { ChecksFailedError, type ReleaseChecker, type RunCommands } from "./release_checks.ts";

interface StagingServices {
  readonly deployments: Pick<DeploymentStore, "stage" | "update" | "clearHosts">;
  readonly sites: Pick<SiteDirectory, "pointLazily" | "removeDeployment">;
  readonly computeService: Pick<DeployedServers, "remove">;
  readonly addresses: Addresses;
  readonly checker: Pick<ReleaseChecker, "run">;
  readonly now: Clock;
}

export class Staging {
  /** The checks that are currently running. A repeated request joins them. */
  readonly #checks = new SingleFlight<readonly CheckResult[]>();
  readonly #services: StagingServices;
  readonly #rollouts: Rollouts;

  constructor(services: StagingServices, rollouts: Rollouts) {
    this.#services = services;
    this.#rollouts = rollouts;
  }

  /** Serves a deployment at its own URL. Does nothing if it is already served there. */
  async show(deploying: DeploymentRecord): Promise<void> {
    if (deploying.checks?.state === "RUNNING") return;
    const { deployments, sites, addresses, now } = this.#services;
    await this.#rollouts.run(deploying.projectId, async () => {
      const { result, versionstamp } = await deployments.stage(deploying, now())
        .catch((error) => {
          const isRace = error instanceof StaleDecisionError;
          throw isRace ? new Failure("conflict", error.message, { cause: error }) : error;
        });
      const { projectId, id: deploymentId, uniqueLabel } = result;
      const to = { projectId, deploymentId, production: false, version: versionstamp };
      await sites.pointLazily(addresses.hostname(uniqueLabel), to);
    });
  }

  /**
   * @throws {ChecksFailedError} if a check does not pass. The deployment is then no longer served.
   */
  async check(
    deploying: DeploymentRecord,
    checks: ReleaseChecks,
    commands: RunCommands | undefined,
  ): Promise<void> {
    const { checker, deployments, sites, computeService } = this.#services;
    await this.show(deploying);
    const results = await this.#checks.run(
      deploying.id,
      () => checker.run(deploying, checks, commands),
    );
    const passed = results.every((result) => result.passed);
    const report: CheckReport = { state: passed ? "PASSED" : "FAILED", results: [...results] };
    await deployments.update(
      [deploying.projectId, deploying.id],
      (current) => ({ ...current, checks: report }),
    );
    if (passed) return;
    await deployments.clearHosts(deploying);
    await sites.removeDeployment(deploying.id);
    await computeService.remove(deploying.id);
    throw new ChecksFailedError(results);
  }
}
