/**
 * Wires up projects' queues, which deliver messages from servers, functions and the API to the live
 * deployment's server.
 *
 * @module
 */
import * as z from "zod";
import type { SiteDirectory } from "../../edge/mod.ts";
import { ENVIRONMENT_PREVIEW } from "../../contract/environment_names.ts";
import { formatCount } from "../../lib/format.ts";
import { mintWebhookSecret } from "../../lib/sign_webhook.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { Failure } from "../core/http/mod.ts";
import { askAll } from "../core/peers/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import { type EnvironmentStore, latestLabel } from "../environments/mod.ts";
import type { KvOwner } from "../kv/create_kv.ts";
import type { AccessLogs } from "../logs/mod.ts";
import type { ProjectStore } from "../projects/mod.ts";
import { findSite } from "./deliver_message.ts";
import { answerSend } from "./local_requests.ts";
import { LETTER_MS, type QueuePlace } from "./message.ts";
import { QueueService } from "./queue_service.ts";
import { bindQueueRoutes } from "./routes.ts";

const QUESTION = "queue-running";
const question = z.tuple([z.string(), z.string(), z.string()]);

/**
 * The secrets with which servers verify messages. The secrets are not stored, because they and the
 * servers do not outlive the platform's process.
 */
export class QueueSecrets {
  readonly #secrets = new Map<string, string>();
  readonly #random: Foundation["random"];

  constructor(random: Foundation["random"]) {
    this.#random = random;
  }

  /** Returns the secret for a deployment's servers. The first call creates the secret. */
  of(deploymentId: string): string {
    let secret = this.#secrets.get(deploymentId);
    if (secret === undefined) {
      secret = mintWebhookSecret(this.#random);
      this.#secrets.set(deploymentId, secret);
    }
    return secret;
  }

  forget(deploymentId: string): void {
    this.#secrets.delete(deploymentId);
  }
}

interface QueueParts {
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
  readonly deployments: DeploymentStore;
  readonly sites: SiteDirectory;
  readonly logs: AccessLogs;
  readonly secrets: QueueSecrets;
}

interface ProjectQueues {
  /** Handles a request to send a message from a deployment's code. */
  readonly answer: (owner: KvOwner, request: Request) => Promise<Response>;
  readonly capability: Capability;
}

export function createQueues(foundation: Foundation, parts: QueueParts): ProjectQueues {
  const { peers, now, onTrouble, addresses } = foundation;
  const { projects, environments, deployments, sites, logs, secrets } = parts;
  const closing = new AbortController();
  const service = new QueueService({
    ...foundation,
    sites,
    secretOf: (deploymentId) => secrets.of(deploymentId),
    record: logs.record,
    closing: AbortSignal.any([foundation.closing, closing.signal]),
  });
  peers.answer(QUESTION, question, async function* (place) {
    yield await Promise.resolve(service.standing(place).running);
  });

  async function runningOf(place: QueuePlace): Promise<number> {
    const { answers } = await askAll(peers, {
      name: QUESTION,
      data: () => place,
      schema: z.int(),
      withLost: false,
      closing: foundation.closing,
    });
    const others = [...answers.values()].flat().reduce((sum, count) => sum + count, 0);
    return service.standing(place).running + others;
  }

  /** Returns the hosts that can receive a deployment's messages. */
  async function labelsOf({ projectId, deploymentId, environment }: KvOwner): Promise<string[]> {
    const deployment = await deployments.find(projectId, deploymentId);
    if (deployment === undefined) throw new Failure("not_found", "The deployment no longer exists");
    const { branchLabel, projectName: name } = deployment;
    const latest = latestLabel({ id: projectId, name }, environment);
    return environment === ENVIRONMENT_PREVIEW ? [branchLabel, latest] : [latest];
  }

  return {
    answer: (owner, request) =>
      answerSend(request, {
        now: now(),
        onTrouble,
        async send(queue, message) {
          const place: QueuePlace = [owner.projectId, owner.environment, queue];
          return await service.send(place, { ...message, labels: await labelsOf(owner) });
        },
      }),
    capability: {
      name: "queues",
      bindRoutes: (router) =>
        bindQueueRoutes(router, {
          kv: foundation.kv,
          projects,
          environments,
          service,
          declaredAt: async ({ id }, label) =>
            (await findSite({ sites, addresses }, id, label))?.queues ?? new Map(),
          running: runningOf,
          now,
        }),
      whenListening() {
        service.start().catch((error) => onTrouble(`Cannot start the queues: ${error}`));
      },
      storeChanged: (changed) => Promise.resolve(service.follow(changed)),
      rereadStore: () => service.reread(),
      async close() {
        closing.abort(new DOMException("The platform is stopping", "AbortError"));
        await service.close();
      },
      async cleanUp(signal) {
        const count = await service.store.sweep(now() - LETTER_MS, signal);
        return count === 0 ? [] : [`removed ${formatCount(count, "dead letter")} from queues`];
      },
      forgetProject: (projectId) => service.forget(projectId),
      projectKeys: (projectId) => service.store.keysOf(projectId),
      async removeEnvironment({ projectId, name }) {
        await service.forget(projectId, name);
        await service.store.removeEnvironment(projectId, name);
      },
      deploymentStopped: ({ id }) => Promise.resolve(secrets.forget(id)),
    },
  };
}
