/** Commit statuses and pull request comments, on GitHub, Gitea and Forgejo. @module */
import * as z from "zod";
import { at, type CommitState, type Dialect, type ForgeTarget } from "./dialect.ts";

/** Maximum length of a description, in characters. GitHub rejects longer ones. */
const MAX_DESCRIPTION = 140;

const STATES: Readonly<Record<CommitState, string>> = {
  waiting: "pending",
  building: "pending",
  live: "success",
  failed: "failure",
  stopped: "error",
};

const comment = z.object({ id: z.int(), body: z.string().nullish() })
  .transform(({ id, body }) => ({ id: `${id}`, text: body ?? "" }));

const repository = ({ path }: ForgeTarget): readonly string[] => ["repos", ...path];

const shared: Omit<Dialect, "fields"> = {
  status: (target, { sha, state, name, description, url }) => ({
    method: "POST",
    url: at(target, ...repository(target), "statuses", sha),
    body: {
      state: STATES[state],
      target_url: url,
      description: description.slice(0, MAX_DESCRIPTION),
      context: name,
    },
  }),
  comments: (target, pull) => ({
    method: "GET",
    url: `${at(target, ...repository(target), "issues", pull, "comments")}?per_page=100`,
  }),
  addComment: (target, pull, body) => ({
    method: "POST",
    url: at(target, ...repository(target), "issues", pull, "comments"),
    body: { body },
  }),
  changeComment: (target, _pull, { id, text }) => ({
    method: "PATCH",
    url: at(target, ...repository(target), "issues", "comments", id),
    body: { body: text },
  }),
  readComment: (answer) => comment.parse(answer),
  readComments: (answer) => z.array(comment).parse(answer),
};

export const github: Dialect = {
  ...shared,
  fields: ({ token }) => [
    ["accept", "application/vnd.github+json"],
    ["x-github-api-version", "2022-11-28"],
    ["authorization", `Bearer ${token}`],
  ],
};

export const gitea: Dialect = {
  ...shared,
  fields: ({ token }) => [["accept", "application/json"], ["authorization", `token ${token}`]],
};
