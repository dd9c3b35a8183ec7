/**
 * Receives a push into a project's repository. A refused push leaves nothing behind.
 *
 * @module
 */
import { join } from "node:path";
import type { OpenSandbox } from "../builds/mod.ts";
import { messageOf } from "../../lib/error_message.ts";
import { Failure } from "../core/http/mod.ts";
import { type PushedRepositories, PushOvertakenError } from "../git/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import {
  MAX_PUSH_BYTES,
  MAX_REPOSITORY_BYTES,
  RECEIVE_SCRIPT,
  TIDY_SCRIPT,
} from "./git_settings.ts";
import { BAND, join as joinBytes, PacketReader } from "./pkt_line.ts";
import { PushHead, PushRefused, type PushRequest, refusedRefs } from "./push_request.ts";
import { type PushReport, readReport, refusalReport } from "./push_report.ts";
import type { Repositories } from "./repositories.ts";
import { giveToGit, makeScratch, type Scratch, startGit, workOf } from "./sandboxed_git.ts";
import { spoolBody } from "./spool_body.ts";

/** Name of the file in the scratch folder that contains the request. */
export const REQUEST_FILE = "request";

/** Maximum size of git's report, in bytes. */
const MAX_REPORT = 4 * 1024 * 1024;

/** Capabilities that clients must have. Every version of git since 2010 has them. */
const NEEDED = [["side-band-64k"], ["report-status-v2", "report-status"]];

interface ReceiveServices {
  readonly repositories: Repositories;
  readonly openSandbox: OpenSandbox;
  /** Shares pushed objects with other nodes, if there are any. */
  readonly shared?: Pick<PushedRepositories, "receive"> | undefined;
  onTrouble(message: string): void;
}

/** Shares a repository with other nodes. */
type Publish = (repository: string, workspaceId: string) => Promise<void>;

/** The problem to report if git exited without a report. */
const NO_REPORT = "git did not finish: a push is limited to 1 GiB of memory and five minutes";

/** A push whose request body has arrived. */
export interface ArrivedPush {
  readonly request: PushRequest;
  readonly scratch: Scratch;
  readonly isWhole: boolean;
}

/**
 * Reads a push. The caller must dispose of the push's scratch folder. @throws {Failure} if the push
 * is not valid
 */
export async function readPush(
  { openSandbox }: ReceiveServices,
  request: Request,
  signal: AbortSignal,
): Promise<ArrivedPush> {
  const scratch = await makeScratch(openSandbox);
  try {
    const head = new PushHead();
    const { isWhole } = await spoolBody(request, {
      path: join(workOf(scratch), REQUEST_FILE),
      maxBytes: MAX_PUSH_BYTES,
      signal,
      onChunk: (chunk) => head.push(chunk),
    });
    const push = head.request;
    const lacking = NEEDED.find((names) => !names.some((name) => push.capabilities.has(name)));
    if (push.commands.length > 0 && lacking !== undefined) {
      throw new PushRefused(`Use a newer git: this version does not support ${lacking[0]}`);
    }
    return { request: push, scratch, isWhole };
  } catch (error) {
    await scratch.dispose();
    if (!(error instanceof PushRefused)) throw error;
    throw new Failure("invalid_request", error.message, { cause: error });
  }
}

/**
 * Reads the output of receive-pack: human-readable messages as they arrive, and then the report.
 */
async function listen(
  stdout: ReadableStream<Uint8Array>,
  words: (bytes: Uint8Array) => void,
): Promise<Uint8Array> {
  const reader = new PacketReader();
  const report: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stdout) {
    reader.push(chunk);
    for (let packet = reader.take(); packet !== undefined; packet = reader.take()) {
      if (packet === null) continue;
      const content = packet.subarray(1);
      if (packet[0] !== BAND.result) words(content);
      else if ((size += content.byteLength) <= MAX_REPORT) report.push(content);
    }
  }
  return joinBytes(report);
}

export class PushReceiver {
  /** Repositories that have been cleaned of leftovers from crashes. */
  readonly #tidied = new Set<string>();

  readonly #services: ReceiveServices;

  constructor(services: ReceiveServices) {
    this.#services = services;
  }

  /** Carries out a push. The caller must ensure that each project has only one push at a time. */
  async receive(
    project: ProjectRecord,
    { request, scratch, isWhole }: ArrivedPush,
    options: {
      /** Receives git's messages for the user. */
      words(bytes: Uint8Array): void;
      readonly signal: AbortSignal;
      /**
       * Returns the permission that the key lacks for pushing a branch; `undefined` if the key may
       * push the branch.
       */
      lacked(branch: string): string | undefined;
    },
  ): Promise<PushReport> {
    const { commands } = request;
    const refuseAll = (reason: string) => refusalReport(commands, () => reason);
    if (request.refusal !== undefined) {
      options.words(new TextEncoder().encode(`svc: ${request.refusal}\n`));
      return refuseAll(request.refusal);
    }
    if (!isWhole) return refuseAll("the push is larger than 1 GiB");
    const refused = refusedRefs(request, {
      production: project.branch,
      lacked: options.lacked,
    });
    if (refused.size > 0) {
      return refusalReport(commands, (ref) => refused.get(ref) ?? "another ref was refused");
    }
    if (await this.#services.repositories.size(project.id) > MAX_REPOSITORY_BYTES) {
      return refuseAll(
        "the repository has reached 5 GiB: delete branches, or create a new project",
      );
    }
    const { shared, onTrouble } = this.#services;
    const run = async (publish?: Publish) => {
      const report = await this.#run(project, scratch, { ...options, publish });
      return report.refs.size === 0 ? refuseAll(NO_REPORT) : report;
    };
    if (shared === undefined) return await run();
    try {
      return await shared.receive(
        project.id,
        run,
      );
    } catch (error) {
      if (error instanceof PushOvertakenError) {
        return refuseAll("another push came first: fetch and push again");
      }
      onTrouble(`Cannot share a push to "${project.name}" with other nodes: ${messageOf(error)}`);
      return refuseAll("the platform cannot store the push right now: push again later");
    }
  }

  async #run(
    project: ProjectRecord,
    scratch: Scratch,
    { words, signal, publish }: {
      words(bytes: Uint8Array): void;
      readonly signal: AbortSignal;
      readonly publish?: Publish | undefined;
    },
  ): Promise<PushReport> {
    const { repositories, onTrouble } = this.#services;
    const repository = await repositories.open(project.id, scratch);
    await giveToGit(scratch.access, workOf(scratch));
    if (!repository.isNew && !this.#tidied.has(project.id)) {
      await this.#tidy(repository.path, scratch, signal);
    }
    this.#tidied.delete(project.id);
    const { stdout, ended } = startGit({
      scratch,
      signal,
      repository: repository.path,
      script: RECEIVE_SCRIPT,
      args: [project.branch],
      input: REQUEST_FILE,
    }, onTrouble);
    const report = readReport(await listen(stdout, words).catch(() => new Uint8Array()));
    const isDone = await ended;
    const took = [...report.refs.values()].includes(undefined);
    if (took && publish !== undefined) {
      if (!isDone) throw new Error("git did not finish the push");
      await publish(repository.path, project.workspaceId);
    }
    if (repository.isNew) {
      if (took) await repository.keep();
    } else if (!isDone) await this.#tidy(repository.path, scratch, new AbortController().signal);
    if (isDone) this.#tidied.add(project.id);
    return report;
  }

  async #tidy(repository: string, scratch: Scratch, signal: AbortSignal): Promise<void> {
    const { stdout, ended } = startGit({
      scratch,
      signal,
      repository,
      script: TIDY_SCRIPT,
      args: [],
    }, this.#services.onTrouble);
    await stdout.cancel();
    await ended;
  }
}
