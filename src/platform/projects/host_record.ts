/** A host label under the base domain: its project, and the deployment that it serves. @module */
import * as z from "zod";

export const hostRecord = z.object({
  projectId: z.string(),
  /** ID of the deployment that the host serves; `null` if there is none. */
  deploymentId: z.string().nullable(),
  /** The current rolling release: the new deployment, and the percentage of visitors who see it. */
  rolling: z.object({
    releaseId: z.string(),
    deploymentId: z.string(),
    share: z.number(),
  }).optional(),
});
export type HostRecord = z.infer<typeof hostRecord>;
