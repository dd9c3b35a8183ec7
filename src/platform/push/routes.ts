/** `/git/{workspace}/{project}.git`: the platform as a git remote, over smart HTTP. @module */
import { projectName } from "../../contract/common.ts";
import { workspaceSlug } from "../../contract/identity.ts";
import { formatCount } from "../../lib/format.ts";
import { type AuditedChange, type AuditLog, PUSHED } from "../audit/mod.ts";
import { type Caller, reachesProject } from "../core/access/mod.ts";
import { Failure, type ForeignVisit, type Router } from "../core/http/mod.ts";
import type { ProjectRecord, ProjectStore } from "../projects/mod.ts";
import { asBearer, basicPassword } from "./basic_credentials.ts";
import type { RefCommand } from "./push_request.ts";
import { type GitServiceName, type PushService, SERVICES } from "./push_service.ts";

/** Maximum number of refs per push that have entries of their own in the audit log. */
const MAX_RECORDED = 20;

const PATH = "/git/:workspace/:project";

/** The access that each service requires. */
const ACCESS = {
  "git-upload-pack": { access: "viewer", method: "GET", path: "/git" },
  "git-receive-pack": { access: "developer", method: "POST", path: "/git" },
} as const;

interface Opened {
  readonly project: ProjectRecord;
  readonly caller: Caller;
}

/**
 * Converts a failure to a response with the header fields that git needs and the text that it
 * shows.
 */
function refuse(failure: Failure): Response {
  const headers = new Headers({
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
  });
  if (failure.code === "unauthorized") headers.set("www-authenticate", 'Basic realm="svc"');
  if (failure.retryAfter !== undefined) headers.set("retry-after", String(failure.retryAfter));
  return new Response(`${failure.message}\n`, { status: failure.status, headers });
}

const HOW =
  "Use an API key as the password, or run `svc link --git-remote` so git gets it from the CLI";

/** Returns the protocol version that `Git-Protocol` requests, in git's form. */
function protocolOf({ headers }: Request): string | undefined {
  return /^version=[12]$/.exec(headers.get("git-protocol") ?? "")?.[0];
}

export function bindPushRoutes(router: Router, services: {
  readonly projects: ProjectStore;
  readonly pushes: PushService;
  readonly audit: Pick<AuditLog, "record">;
}): void {
  const { projects, pushes, audit } = services;

  /**
   * Adds an entry to the audit log for each ref that someone has changed, with the production
   * branch first, and one for the number of refs beyond the maximum.
   */
  async function record(
    { request, client }: ForeignVisit,
    { project, caller: { user, credential, workspace } }: Opened,
    changes: readonly RefCommand[],
  ): Promise<void> {
    const { pathname } = new URL(request.url);
    const repository = pathname.slice(0, pathname.lastIndexOf("/"));
    const add = (name: string, changed: AuditedChange["changes"]) =>
      audit.record({
        workspaceId: workspace.id,
        action: PUSHED,
        project: project.name,
        requestId: null,
        path: `${repository} ${name}`,
        target: { id: null, name },
        changes: changed,
        user: { id: user.id, name: user.name },
        credential: { type: credential.type, id: credential.id, name: credential.name },
        address: client.address,
      });
    const isProduction = ({ ref }: RefCommand) => ref === `refs/heads/${project.branch}`;
    const sorted = [
      ...changes.filter(isProduction),
      ...changes.filter((each) => !isProduction(each)),
    ];
    for (const { ref, before, sha } of sorted.slice(0, MAX_RECORDED)) {
      await add(ref, [{ field: "commit", from: before ?? null, to: sha ?? null }]);
    }
    const more = sorted.length - MAX_RECORDED;
    if (more > 0) await add(formatCount(more, "further ref"), []);
  }

  /** Finds a request's project, and checks that the caller may use the service. */
  async function open(visit: ForeignVisit, service: GitServiceName): Promise<Opened> {
    const { request, params } = visit;
    const key = basicPassword(request);
    if (key === undefined) throw new Failure("unauthorized", HOW);
    const workspace = workspaceSlug.safeParse(params.workspace);
    const name = projectName.safeParse(params.project?.replace(/\.git$/, ""));
    const unknown = () =>
      new Failure("not_found", `Repository ${new URL(request.url).pathname} does not exist`);
    if (!workspace.success || !name.success || !params.project?.endsWith(".git")) throw unknown();
    const caller = await visit.caller(asBearer(request, key, workspace.data), ACCESS[service])
      .catch((error) => {
        if (!(error instanceof Failure) || error.code !== "unauthorized") throw error;
        throw new Failure("unauthorized", `The key is unknown, revoked or expired. ${HOW}`);
      });
    const project = await projects.findByName(caller.workspace.id, name.data);
    if (project === undefined || !reachesProject(caller, project.id)) throw unknown();
    if (project.gitUrl === null) return { project, caller };
    throw new Failure(
      "conflict",
      `Project "${project.name}" is built from ${project.gitUrl}. Push there, or remove the git ` +
        'URL with `svc projects update --git-url ""`',
    );
  }

  router.foreign("GET", `${PATH}/info/refs`, {
    async answer(visit) {
      const { request } = visit;
      const wanted = new URL(request.url).searchParams.get("service");
      const service = SERVICES.find((name) => name === wanted);
      if (service === undefined) {
        throw new Failure("forbidden", "Use git 1.6.6 or newer: this is a smart HTTP remote");
      }
      const { project } = await open(visit, service);
      const protocol = protocolOf(request);
      return await pushes.advertise(project, service, { protocol, signal: request.signal });
    },
    refuse,
  });

  for (const service of SERVICES) {
    router.foreign("POST", `${PATH}/${service}`, {
      async answer(visit) {
        const { request } = visit;
        const { project, caller } = await open(visit, service);
        const type = request.headers.get("content-type");
        if (type !== `application/x-${service}-request`) {
          throw new Failure(
            "unsupported_media_type",
            `Send Content-Type: application/x-${service}-request, not ${type ?? "none"}`,
          );
        }
        return service === "git-upload-pack"
          ? await pushes.upload(project, request, protocolOf(request))
          : await pushes.receive(project, request, {
            grant: caller.grant,
            userId: caller.user.id,
            onTaken: (changes) => record(visit, { project, caller }, changes),
          });
      },
      refuse,
    });
  }
}
