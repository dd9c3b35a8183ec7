/** Build statuses and pull request comments, in Bitbucket Cloud and Data Center. @module */
import { Buffer } from "node:buffer";
import * as z from "zod";
import { sha256Hex } from "../../../../lib/hash.ts";
import { at, type CommitState, type Dialect, type ForgeTarget } from "./dialect.ts";

/** Maximum length of a build status's key in Bitbucket Cloud, in characters. */
const MAX_KEY = 40;
const MAX_DESCRIPTION = 255;
/**
 * The username that git sends with a repository's access token. The API accepts the token as a
 * bearer token.
 */
const TOKEN_USER = "x-token-auth";

const CLOUD_STATES: Readonly<Record<CommitState, string>> = {
  waiting: "INPROGRESS",
  building: "INPROGRESS",
  live: "SUCCESSFUL",
  failed: "FAILED",
  stopped: "STOPPED",
};
const SERVER_STATES: typeof CLOUD_STATES = { ...CLOUD_STATES, stopped: "CANCELLED" };

const keyOf = (name: string): string =>
  name.length <= MAX_KEY ? name : sha256Hex(name).slice(0, MAX_KEY);

const cloudComment = z.object({ id: z.int(), content: z.object({ raw: z.string() }) })
  .transform(({ id, content }) => ({ id: `${id}`, text: content.raw }));

const inCloud = ({ path }: ForgeTarget): readonly string[] => ["repositories", ...path];

export const bitbucketCloud: Dialect = {
  fields: ({ username, token }) => [
    ["accept", "application/json"],
    [
      "authorization",
      username === TOKEN_USER
        ? `Bearer ${token}`
        : `Basic ${Buffer.from(`${username}:${token}`).toString("base64")}`,
    ],
  ],
  status: (target, { sha, branch, state, name, description, url }) => ({
    method: "POST",
    url: at(target, ...inCloud(target), "commit", sha, "statuses", "build"),
    body: {
      key: keyOf(name),
      state: CLOUD_STATES[state],
      name,
      refname: branch,
      url,
      description: description.slice(0, MAX_DESCRIPTION),
    },
  }),
  comments: (target, pull) => ({
    method: "GET",
    url: `${at(target, ...inCloud(target), "pullrequests", pull, "comments")}?pagelen=100`,
  }),
  addComment: (target, pull, raw) => ({
    method: "POST",
    url: at(target, ...inCloud(target), "pullrequests", pull, "comments"),
    body: { content: { raw } },
  }),
  changeComment: (target, pull, { id, text }) => ({
    method: "PUT",
    url: at(target, ...inCloud(target), "pullrequests", pull, "comments", id),
    body: { content: { raw: text } },
  }),
  readComment: (answer) => cloudComment.parse(answer),
  readComments: (answer) => z.object({ values: z.array(cloudComment) }).parse(answer).values,
};

const serverComment = z.object({ id: z.int(), version: z.int(), text: z.string() })
  .transform(({ id, version, text }) => ({ id: `${id}`, version, text }));
const activities = z.object({
  values: z.array(z.object({ action: z.string(), comment: z.unknown().optional() })),
});

/**
 * Returns the repository's REST path, including the API version. The git URL names the repository
 * as `scm/<project>/<repository>`.
 */
function onServer({ path }: ForgeTarget): readonly string[] {
  const [project = "", repository = ""] = path.slice(-2);
  return ["api", "latest", "projects", project, "repos", repository];
}

export const bitbucketServer: Dialect = {
  fields: ({ token }) => [["accept", "application/json"], ["authorization", `Bearer ${token}`]],
  status: (target, { sha, branch, state, name, description, url }) => ({
    method: "POST",
    url: at(target, ...onServer(target), "commits", sha, "builds"),
    body: {
      key: name,
      state: SERVER_STATES[state],
      name,
      ref: `refs/heads/${branch}`,
      url,
      description: description.slice(0, MAX_DESCRIPTION),
    },
  }),
  comments: (target, pull) => ({
    method: "GET",
    url: `${at(target, ...onServer(target), "pull-requests", pull, "activities")}?limit=100`,
  }),
  comment: (target, pull, id) => ({
    method: "GET",
    url: at(target, ...onServer(target), "pull-requests", pull, "comments", id),
  }),
  addComment: (target, pull, text) => ({
    method: "POST",
    url: at(target, ...onServer(target), "pull-requests", pull, "comments"),
    body: { text },
  }),
  changeComment: (target, pull, { id, text, version }) => ({
    method: "PUT",
    url: at(target, ...onServer(target), "pull-requests", pull, "comments", id),
    body: { text, version },
  }),
  readComment: (answer) => serverComment.parse(answer),
  readComments: (answer) =>
    activities.parse(answer).values.filter(({ action }) => action === "COMMENTED")
      .map(({ comment }) => serverComment.parse(comment)),
};
