/** Handles the requests of a git client (gitprotocol-http). @module */
import { join } from "node:path";
import { deployPermission } from "../../contract/permissions.ts";
import { type Caller, isPermitted } from "../core/access/mod.ts";
import type { OpenSandbox } from "../builds/mod.ts";
import { Failure } from "../core/http/mod.ts";
import type { PushedRepositories } from "../git/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import { KeyedLock } from "../../lib/keyed_lock.ts";
import {
  type BranchDeployer,
  environmentOf,
  type Listener,
  MAX_BUILDS,
} from "./deploy_branches.ts";
import { ADVERTISE_SCRIPT, UPLOAD_SCRIPT } from "./git_settings.ts";
import { BAND, bandPackets, FLUSH, join as joinBytes, packet } from "./pkt_line.ts";
import { branchOf, type RefCommand } from "./push_request.ts";
import { type PushReport, writeReport } from "./push_report.ts";
import { type ArrivedPush, PushReceiver, readPush, REQUEST_FILE } from "./receive_push.ts";
import type { Repositories } from "./repositories.ts";
import { giveToGit, makeScratch, type Scratch, startGit, workOf } from "./sandboxed_git.ts";
import type { SourcePush } from "./source_pack.ts";
import { spoolBody } from "./spool_body.ts";

/** The services that git offers over HTTP. */
export const SERVICES = ["git-upload-pack", "git-receive-pack"] as const;
export type GitServiceName = (typeof SERVICES)[number];

/** Maximum size of a request for objects, in bytes. */
const MAX_FETCH_BYTES = 16 * 1024 * 1024;

/** Maximum number of concurrent pushes and fetches, in total and per project. */
const MOST_AT_ONCE = 64;
const MOST_OF_PROJECT = 16;

/** Error codes for requests that git never sends. */
const NOT_OF_GIT: ReadonlySet<string> = new Set(["invalid_request", "unsupported_media_type"]);

/** Interval of progress messages to a client during a push, in milliseconds. */
const STILL_MS = 15_000;

/** The user who pushes, and what their key permits. */
interface PushCaller extends Pick<Caller, "grant"> {
  readonly userId: string;
  /** Called with the changed refs, before their builds start. */
  onTaken(changes: readonly RefCommand[]): Promise<void>;
}

/** Returns the refs that a push has changed. */
function takenRefs(
  { request: { commands } }: ArrivedPush,
  { refs }: PushReport,
): readonly RefCommand[] {
  const outcomes = new Map(refs);
  return commands.filter(({ ref }) => outcomes.has(ref) && outcomes.get(ref) === undefined);
}

interface PushServices {
  readonly repositories: Repositories;
  readonly openSandbox: OpenSandbox;
  readonly branches: BranchDeployer;
  /** Shares pushed objects with other nodes, if there are any. */
  readonly shared?: Pick<PushedRepositories, "receive"> | undefined;
  /** Aborted when the platform stops. */
  readonly closing: AbortSignal;
  onTrouble(message: string): void;
}

const gitHeaders = (type: string) => ({
  "content-type": type,
  "cache-control": "no-cache, max-age=0, must-revalidate",
});

export class PushService {
  readonly #receiver: PushReceiver;
  readonly #lock = new KeyedLock();
  readonly #underWay = new Map<string, number>();
  #count = 0;

  readonly #services: PushServices;

  constructor(services: PushServices) {
    this.#services = services;
    this.#receiver = new PushReceiver(services);
  }

  /** Lists the refs of a project's repository. */
  async advertise(
    project: ProjectRecord,
    service: GitServiceName,
    { protocol, signal }: { readonly protocol: string | undefined; readonly signal: AbortSignal },
  ): Promise<Response> {
    // Pushes exist only in version 1 of the protocol.
    const spoken = service === "git-upload-pack" ? protocol : undefined;
    const isNew = spoken === "version=2";
    const head = isNew ? [] : [packet(`# service=${service}\n`), FLUSH];
    const stdout = await this.#serve(project, signal, (scratch, repository) => ({
      scratch,
      repository,
      script: ADVERTISE_SCRIPT,
      protocol: spoken,
      args: [project.branch, service.slice("git-".length)],
    }));
    return new Response(prefixed(head, stdout), {
      headers: gitHeaders(`application/x-${service}-advertisement`),
    });
  }

  /** Sends the objects that a client has requested. */
  async upload(
    project: ProjectRecord,
    request: Request,
    protocol: string | undefined,
  ): Promise<Response> {
    const { signal } = request;
    const stdout = await this.#serve(project, signal, async (scratch, repository) => {
      const { isWhole } = await spoolBody(request, {
        path: join(workOf(scratch), REQUEST_FILE),
        maxBytes: MAX_FETCH_BYTES,
        signal,
      });
      if (!isWhole) throw new Failure("payload_too_large", "The git request is too long");
      return {
        scratch,
        repository,
        script: UPLOAD_SCRIPT,
        protocol,
        args: [project.branch],
        input: REQUEST_FILE,
      };
    });
    return new Response(stdout, { headers: gitHeaders("application/x-git-upload-pack-result") });
  }

  /** Receives a push, and reports the progress until the pushed branches are live. */
  async receive(
    project: ProjectRecord,
    request: Request,
    caller: PushCaller,
  ): Promise<Response> {
    const headers = gitHeaders("application/x-git-receive-pack-result");
    let leave = () => {};
    let push: ArrivedPush;
    try {
      leave = this.#enter(project.id);
      push = await readPush(this.#services, request, this.#services.closing);
    } catch (error) {
      leave();
      // Errors in requests that git never sends get the API's usual error response.
      if (!(error instanceof Failure) || NOT_OF_GIT.has(error.code)) throw error;
      // At this point, git shows only side-band messages, not the body of an HTTP error.
      await request.body?.cancel().catch(() => {});
      const words = bandPackets(BAND.fatal, `svc: ${error.message}\n`);
      return new Response(joinBytes([words, FLUSH]), { headers });
    }
    if (push.request.commands.length === 0) {
      // git sends this request to check its credentials.
      await push.scratch.dispose();
      leave();
      return new Response(null, { headers });
    }
    const gone = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send = (bytes: Uint8Array) => {
          if (!gone.signal.aborted) controller.enqueue(bytes);
        };
        this.#carryOut(project, push, { send, gone: gone.signal, caller })
          .then(() => gone.signal.aborted || controller.close())
          .catch((error) => {
            this.#services.onTrouble(`A push to "${project.name}" failed: ${String(error)}`);
            if (!gone.signal.aborted) controller.error(error);
          })
          .then(leave, leave);
      },
      cancel: () => gone.abort(),
    });
    return new Response(body, { headers });
  }

  /** Receives a commit of uploaded files, without building it. @throws {Failure} `conflict` */
  async take(project: ProjectRecord, { ref, body }: SourcePush): Promise<void> {
    const { closing } = this.#services;
    const leave = this.#enter(project.id);
    try {
      const request = new Request("http://localhost/", { method: "POST", body });
      const push = await readPush(this.#services, request, closing);
      const report = await this.#lock.run(
        project.id,
        () =>
          this.#receiver.receive(project, push, {
            words() {},
            signal: closing,
            lacked: () => undefined,
          }),
      ).finally(() => push.scratch.dispose());
      if (report.unpack === "ok" && report.refs.has(ref) && report.refs.get(ref) === undefined) {
        return;
      }
      const reason = report.refs.get(ref) ?? report.unpack;
      throw new Failure("conflict", `The files cannot be committed: ${reason}`);
    } finally {
      leave();
    }
  }

  async #carryOut(
    project: ProjectRecord,
    push: ArrivedPush,
    { send, gone, caller }: {
      send(bytes: Uint8Array): void;
      readonly gone: AbortSignal;
      readonly caller: PushCaller;
    },
  ): Promise<void> {
    const { closing } = this.#services;
    const words = (bytes: string | Uint8Array) => send(bandPackets(BAND.words, bytes));
    const still = setInterval(() => words(""), STILL_MS);
    try {
      const report = await this.#lock.run(project.id, () =>
        this.#receiver.receive(project, push, {
          words,
          signal: AbortSignal.any([gone, closing]),
          lacked: (branch) => {
            const needed = deployPermission(environmentOf(project, branch));
            return isPermitted(caller, needed) ? undefined : needed;
          },
        })).finally(() => push.scratch.dispose());
      await caller.onTaken(takenRefs(push, report));
      const listener = {
        say: (line: string) => words(`${line}\n`),
        signal: AbortSignal.any([gone, closing]),
      };
      const built = await this.#deploy(project, push, {
        report,
        listener,
        startedBy: caller.userId,
      });
      send(joinBytes([bandPackets(BAND.result, writeReport(built)), FLUSH]));
    } finally {
      clearInterval(still);
    }
  }

  /** Deploys the pushed branches. Reports a branch whose build fails as refused. */
  async #deploy(
    project: ProjectRecord,
    { request: { commands } }: ArrivedPush,
    { report, listener, startedBy }: {
      readonly report: PushReport;
      readonly listener: Listener;
      readonly startedBy: string;
    },
  ): Promise<PushReport> {
    const { branches } = this.#services;
    const refs = new Map(report.refs);
    const taken = commands.flatMap(({ ref, sha }) => {
      const branch = branchOf(ref);
      const isTaken = refs.has(ref) && refs.get(ref) === undefined;
      return branch === undefined || !isTaken ? [] : [{ ref, branch, sha }];
    });
    for (const { branch, sha } of taken) {
      if (sha === undefined) await branches.remove(project, branch, listener);
    }
    const pushed = taken.flatMap(({ sha, ...rest }) => sha === undefined ? [] : [{ ...rest, sha }])
      .sort((one, other) =>
        Number(other.branch === project.branch) - Number(one.branch === project.branch)
      );
    const { say } = listener;
    await Promise.all(
      pushed.slice(0, MAX_BUILDS).map(async ({ ref, branch, sha }) => {
        const own = pushed.length === 1 ? say : (line: string) => say(`[${branch}] ${line}`);
        const reason = await branches.deploy(project, { branch, sha, startedBy, trigger: "push" }, {
          ...listener,
          say: own,
        });
        if (reason !== undefined) {
          refs.set(ref, `stored, but not deployed: ${reason.split("\n", 1)[0]}`);
        }
      }),
    );
    for (const { branch } of pushed.slice(MAX_BUILDS)) {
      say(
        `svc: stored ${branch}, but did not build it: a push builds at most ${MAX_BUILDS} branches`,
      );
    }
    return { ...report, refs };
  }

  /**
   * Runs git to respond to a request, and removes its scratch folder once the response has been
   * sent.
   */
  async #serve(
    project: ProjectRecord,
    signal: AbortSignal,
    runOf: (
      scratch: Scratch,
      repository: string,
    ) => MaybePromise<Omit<Parameters<typeof startGit>[0], "signal">>,
  ): Promise<ReadableStream<Uint8Array>> {
    const { repositories, openSandbox, onTrouble, closing } = this.#services;
    const leave = this.#enter(project.id);
    let scratch: Scratch | undefined;
    const end = async () => {
      await scratch?.dispose();
      leave();
    };
    try {
      scratch = await makeScratch(openSandbox);
      const repository = await repositories.open(project.id, scratch);
      const run = await runOf(scratch, repository.path);
      await giveToGit(scratch.access, workOf(scratch));
      const git = startGit({ ...run, signal: AbortSignal.any([signal, closing]) }, onTrouble);
      void git.ended.catch(() => {}).finally(end).catch((error) => onTrouble(String(error)));
      return git.stdout;
    } catch (error) {
      await end();
      throw error;
    }
  }

  /**
   * Counts a request until the returned function is called. @throws {Failure} `unavailable` if too
   * many are in progress.
   */
  #enter(projectId: string): () => void {
    const own = this.#underWay.get(projectId) ?? 0;
    if (this.#count >= MOST_AT_ONCE || own >= MOST_OF_PROJECT) {
      throw new Failure("unavailable", "Too many git requests at once. Try again soon", {
        retryAfter: 5,
      });
    }
    this.#count++;
    this.#underWay.set(projectId, own + 1);
    return () => {
      this.#count--;
      const left = (this.#underWay.get(projectId) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(projectId);
      else this.#underWay.set(projectId, left);
    };
  }
}

type MaybePromise<T> = T | Promise<T>;

/** Returns a stream that starts with the given packets. */
function prefixed(
  head: readonly Uint8Array[],
  stream: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  return stream.pipeThrough(
    new TransformStream({
      start: (controller) => head.forEach((bytes) => controller.enqueue(bytes)),
    }),
  );
}
