/**
 * The access settings of a project's hosts. The record is created with the project. Older projects
 * have no record, and are open to everyone.
 *
 * @module
 */
import * as z from "zod";
import { type Protection, PROTECTIONS } from "../../lib/protection.ts";

const shareRecord = z.object({
  id: z.string(),
  /** SHA-256 of the token. */
  hash: z.string(),
  deploymentId: z.string().nullable(),
  /**
   * The branch whose host the link opens, with the host's label; `null` if the link is for a single
   * deployment.
   */
  branch: z.object({ name: z.string(), label: z.string() }).nullable(),
  endsAt: z.number(),
  createdAt: z.number(),
  createdBy: z.string(),
});
export type ShareRecord = z.infer<typeof shareRecord>;

export const previewRecord = z.object({
  protection: z.enum(PROTECTIONS),
  password: z.object({
    id: z.string(),
    hash: z.object({
      algorithm: z.literal("scrypt"),
      n: z.number(),
      r: z.number(),
      p: z.number(),
      salt: z.string(),
      hash: z.string(),
    }),
  }).nullable(),
  bypassHash: z.string().nullable(),
  allowCidrs: z.array(z.string()),
  exemptPaths: z.array(z.string()),
  exemptOptions: z.boolean(),
  /**
   * When maintenance started, and the networks that are admitted. During maintenance, only members
   * and these networks see production. `null` if there is no maintenance.
   */
  maintenance: z.object({ since: z.number(), allowCidrs: z.array(z.string()) }).nullable()
    .default(null),
  /** The links, newest first. Expired links are removed when a new one is added. */
  shares: z.array(shareRecord),
});
export type PreviewRecord = z.infer<typeof previewRecord>;

/** Returns the default record, for a new project and for a project without a record. */
export const newPreviewRecord = (protection: Protection): PreviewRecord => ({
  protection,
  password: null,
  bypassHash: null,
  allowCidrs: [],
  exemptPaths: [],
  exemptOptions: false,
  maintenance: null,
  shares: [],
});
