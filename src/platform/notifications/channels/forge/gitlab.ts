/** GitLab's API: commit statuses, and notes on merge requests. @module */
import * as z from "zod";
import { at, type CommitState, type Dialect, type ForgeTarget } from "./dialect.ts";

const MAX_DESCRIPTION = 255;

const STATES: Readonly<Record<CommitState, string>> = {
  waiting: "pending",
  building: "running",
  live: "success",
  failed: "failed",
  stopped: "canceled",
};

const note = z.object({ id: z.int(), body: z.string() })
  .transform(({ id, body }) => ({ id: `${id}`, text: body }));

/** The API identifies a project by its whole path. */
const project = ({ path }: ForgeTarget): readonly string[] => ["projects", path.join("/")];

export const gitlab: Dialect = {
  fields: ({ token }) => [["accept", "application/json"], ["authorization", `Bearer ${token}`]],
  status: (target, { sha, branch, state, name, description, url }) => ({
    method: "POST",
    url: at(target, ...project(target), "statuses", sha),
    body: {
      state: STATES[state],
      ref: branch,
      name,
      target_url: url,
      description: description.slice(0, MAX_DESCRIPTION),
    },
  }),
  isMarked: ({ status, text }) => status === 400 && text.includes("Cannot transition status"),
  comments: (target, pull) => ({
    method: "GET",
    url: `${at(target, ...project(target), "merge_requests", pull, "notes")}?per_page=100`,
  }),
  addComment: (target, pull, body) => ({
    method: "POST",
    url: at(target, ...project(target), "merge_requests", pull, "notes"),
    body: { body },
  }),
  changeComment: (target, pull, { id, text }) => ({
    method: "PUT",
    url: at(target, ...project(target), "merge_requests", pull, "notes", id),
    body: { body: text },
  }),
  readComment: (answer) => note.parse(answer),
  readComments: (answer) => z.array(note).parse(answer),
};
