/**
 * A fake forge. It validates requests according to each API's documentation, stores statuses and
 * comments, and can fail on demand.
 *
 * @module
 */
import * as z from "zod";
import { stopServer } from "../../src/lib/stop_server.ts";

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const url = z.url();
const text = z.string().min(1);

const githubStatus = z.object({
  state: z.enum(["error", "failure", "pending", "success"]),
  target_url: url,
  description: z.string().max(140),
  context: text,
}).strict();
const body = z.object({ body: text }).strict();
const gitlabStatus = z.object({
  state: z.enum(["pending", "running", "success", "failed", "canceled"]),
  ref: text,
  name: text,
  target_url: url.max(255),
  description: z.string().max(255),
}).strict();
const cloudStatus = z.object({
  key: text.max(40),
  state: z.enum(["INPROGRESS", "SUCCESSFUL", "FAILED", "STOPPED"]),
  name: text,
  refname: text,
  url,
  description: z.string(),
}).strict();
const cloudComment = z.object({ content: z.object({ raw: text }).strict() }).strict();
const serverStatus = z.object({
  key: text.max(255),
  state: z.enum(["INPROGRESS", "SUCCESSFUL", "FAILED", "CANCELLED", "UNKNOWN"]),
  name: text,
  ref: z.string().startsWith("refs/heads/"),
  url,
  description: z.string(),
}).strict();
const serverComment = z.object({ text }).strict();
const changedServerComment = z.object({ text, version: z.int() }).strict();

export type ForgeKind = "github" | "gitea" | "gitlab" | "bitbucket" | "bitbucket-server";

interface Paths {
  /** Path of the API on the server. */
  readonly api: string;
  readonly authorization: string;
  readonly status: (repository: string) => RegExp;
  readonly comments: (repository: string) => RegExp;
  readonly comment: (repository: string) => RegExp;
  readonly change: "PATCH" | "PUT";
  readonly statusBody: z.ZodType<{ readonly state: string }>;
  readonly textOf: (sent: unknown, isChange: boolean) => string;
  readonly show: (id: number, text: string, version: number) => unknown;
  readonly list: (comments: readonly unknown[]) => unknown;
}

const one = "(?<id>\\d+)";
const commit = "(?<sha>[0-9a-f]{40})";
const pattern = (path: string) => new RegExp(`^${path}$`);

const likeGithub = {
  status: (repository: string) => pattern(`/repos/${repository}/statuses/${commit}`),
  comments: (repository: string) => pattern(`/repos/${repository}/issues/(?<pull>\\d+)/comments`),
  comment: (repository: string) => pattern(`/repos/${repository}/issues/comments/${one}`),
  change: "PATCH" as const,
  statusBody: githubStatus,
  textOf: (sent: unknown) => body.parse(sent).body,
  show: (id: number, shown: string) => ({ id, body: shown }),
  list: (comments: readonly unknown[]) => comments,
};

const KINDS: Readonly<Record<ForgeKind, (token: string) => Paths>> = {
  github: (token) => ({ ...likeGithub, api: "/api/v3", authorization: `Bearer ${token}` }),
  gitea: (token) => ({ ...likeGithub, api: "/api/v1", authorization: `token ${token}` }),
  gitlab: (token) => ({
    api: "/api/v4",
    authorization: `Bearer ${token}`,
    status: (repository) =>
      pattern(`/projects/${encodeURIComponent(repository)}/statuses/${commit}`),
    comments: (repository) =>
      pattern(`/projects/${encodeURIComponent(repository)}/merge_requests/(?<pull>\\d+)/notes`),
    comment: (repository) =>
      pattern(`/projects/${encodeURIComponent(repository)}/merge_requests/\\d+/notes/${one}`),
    change: "PUT",
    statusBody: gitlabStatus,
    textOf: (sent) => body.parse(sent).body,
    show: (id, shown) => ({ id, body: shown }),
    list: (comments) => comments,
  }),
  bitbucket: (token) => ({
    api: "/2.0",
    authorization: `Basic ${btoa(`ada:${token}`)}`,
    status: (repository) => pattern(`/repositories/${repository}/commit/${commit}/statuses/build`),
    comments: (repository) =>
      pattern(`/repositories/${repository}/pullrequests/(?<pull>\\d+)/comments`),
    comment: (repository) =>
      pattern(`/repositories/${repository}/pullrequests/\\d+/comments/${one}`),
    change: "PUT",
    statusBody: cloudStatus,
    textOf: (sent) => cloudComment.parse(sent).content.raw,
    show: (id, shown) => ({ id, content: { raw: shown } }),
    list: (values) => ({ values }),
  }),
  "bitbucket-server": (token) => {
    const base = (repository: string) =>
      `/api/latest/projects/${repository.replace("/", "/repos/")}`;
    return {
      api: "/rest",
      authorization: `Bearer ${token}`,
      status: (repository) => pattern(`${base(repository)}/commits/${commit}/builds`),
      comments: (repository) =>
        pattern(`${base(repository)}/pull-requests/(?<pull>\\d+)/(?:comments|activities)`),
      comment: (repository) => pattern(`${base(repository)}/pull-requests/\\d+/comments/${one}`),
      change: "PUT",
      statusBody: serverStatus,
      textOf: (sent, isChange) =>
        isChange ? changedServerComment.parse(sent).text : serverComment.parse(sent).text,
      show: (id, shown, version) => ({ id, text: shown, version }),
      list: (comments) => ({
        values: [
          { action: "OPENED" },
          ...comments.map((comment) => ({
            action: "COMMENTED",
            comment,
          })),
        ],
      }),
    };
  },
};

export interface ForgeServer extends AsyncDisposable {
  readonly api: string;
  readonly port: number;
  /** Commit statuses, in order. */
  readonly statuses: { readonly sha: string; readonly state: string; readonly sent: unknown }[];
  /** Comments by ID. */
  readonly comments: Map<number, { pull: number; text: string; version: number }>;
  /** Problems with requests. */
  readonly faults: string[];
  /** Requests by method and path. */
  readonly requests: string[];
  /** If set, handles requests instead of the forge. */
  refuse: ((request: Request) => Response | undefined) | undefined;
  /**
   * Called with each request after the request has been processed and before its response is sent.
   */
  carriedOut: ((request: Request) => Promise<void> | void) | undefined;
}

/** Serves one repository to clients that have the token, as a forge of this kind would. */
export function serveForge(
  kind: ForgeKind,
  { repository, token }: { readonly repository: string; readonly token: string },
): ForgeServer {
  const paths = KINDS[kind](token);
  const forge = {
    statuses: [] as ForgeServer["statuses"],
    comments: new Map() as ForgeServer["comments"],
    faults: [] as string[],
    requests: [] as string[],
    refuse: undefined as ForgeServer["refuse"],
    carriedOut: undefined as ForgeServer["carriedOut"],
  };
  const [status, comments, comment] = [
    paths.status(repository),
    paths.comments(repository),
    paths.comment(repository),
  ];
  const shown = (id: number) => {
    const { text: written, version } = forge.comments.get(id)!;
    return paths.show(id, written, version);
  };
  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith(`${paths.api}/`)) return new Response("No API", { status: 404 });
    if (request.headers.get("authorization") !== paths.authorization) {
      return Response.json({ message: "Bad credentials" }, { status: 401 });
    }
    if (request.headers.get("user-agent") === null) return new Response(null, { status: 403 });
    const path = pathname.slice(paths.api.length);
    const marked = status.exec(path)?.groups;
    if (marked !== undefined && request.method === "POST") {
      const sent = paths.statusBody.parse(await request.json());
      forge.statuses.push({ sha: sha.parse(marked.sha), state: sent.state, sent });
      return Response.json(sent, { status: 201 });
    }
    const listed = comments.exec(path)?.groups;
    if (listed !== undefined && request.method === "GET") {
      const of = [...forge.comments].filter(([, { pull }]) => pull === Number(listed.pull));
      return Response.json(paths.list(of.map(([id]) => shown(id))));
    }
    if (listed !== undefined && request.method === "POST") {
      const id = 1000 + forge.comments.size;
      const written = paths.textOf(await request.json(), false);
      forge.comments.set(id, { pull: Number(listed.pull), text: written, version: 0 });
      return Response.json(shown(id), { status: 201 });
    }
    const id = Number(comment.exec(path)?.groups?.id);
    const known = forge.comments.get(id);
    if (known === undefined) return Response.json({ message: "Not Found" }, { status: 404 });
    if (request.method === paths.change) {
      known.text = paths.textOf(await request.json(), true);
      known.version++;
    }
    return Response.json(shown(id));
  }
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const refused = forge.refuse?.(request);
      if (refused !== undefined) return refused;
      forge.requests.push(`${request.method} ${new URL(request.url).pathname}`);
      try {
        const given = await answer(request);
        if (given.status >= 400) forge.faults.push(`${request.method} ${request.url}`);
        await forge.carriedOut?.(request);
        return given;
      } catch (error) {
        forge.faults.push(`${request.method} ${request.url}: ${error}`);
        return Response.json({ message: String(error) }, { status: 422 });
      }
    },
  );
  return Object.assign(forge, {
    api: `http://127.0.0.1:${server.addr.port}${paths.api}`,
    port: server.addr.port,
    [Symbol.asyncDispose]: () => stopServer(server),
  });
}
