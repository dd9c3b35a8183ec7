/** The record of a trusted publisher. @module */
import * as z from "zod";
import { PERMISSION_NAMES } from "../../../contract/permissions.ts";
import { PUBLISHER_PROVIDERS, type TrustedPublisher } from "../../../contract/publishers.ts";

export const publisherRecord = z.object({
  id: z.string(),
  workspaceId: z.string(),
  /** The member who added the publisher, and whose permissions limit the publisher's keys. */
  userId: z.string(),
  provider: z.enum(PUBLISHER_PROVIDERS),
  issuer: z.string(),
  repository: z.string(),
  /** Read from the first token, to reject a different repository that takes over the name. */
  repositoryId: z.string().nullable(),
  branch: z.string().nullable(),
  tag: z.string().nullable(),
  environment: z.string().nullable(),
  workflow: z.string().nullable(),
  subject: z.string().nullable(),
  pullRequests: z.boolean(),
  permissions: z.array(z.enum(PERMISSION_NAMES)),
  projects: z.array(z.string()).nullable(),
  keySeconds: z.number(),
  createdAt: z.number(),
  lastUsedAt: z.number().nullable(),
  lastSubject: z.string().nullable(),
});
export type PublisherRecord = z.infer<typeof publisherRecord>;

const iso = (time: number): string => new Date(time).toISOString();

export function publisherToWire(record: PublisherRecord): TrustedPublisher {
  const { workspaceId: _, userId, createdAt, lastUsedAt, ...rest } = record;
  return {
    ...rest,
    createdBy: userId,
    createdAt: iso(createdAt),
    lastUsedAt: lastUsedAt === null ? null : iso(lastUsedAt),
  };
}

/** Describes a publisher: provider, repository, and any other conditions for its tokens. */
export function describePublisher(record: PublisherRecord): string {
  const { provider, repository, branch, tag, environment, workflow, pullRequests } = record;
  const limits = [
    branch === null ? "" : ` on branch ${branch}`,
    tag === null ? "" : `${branch === null ? "" : " or"} on tag ${tag}`,
    pullRequests ? " and for pull requests" : "",
    environment === null ? "" : ` in environment ${environment}`,
    workflow === null ? "" : ` by ${workflow}`,
  ];
  return `${provider} ${repository}${limits.join("")}`;
}
