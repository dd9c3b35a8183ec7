import type { Project } from "../../contract/projects.ts";
import { toFailure } from "../../platform/core/http/mod.ts";
import { goTo } from "../layout/document.tsx";
import type { PageApi } from "../visit/page_api.ts";
import type { PersonVisit } from "../visit/page_binder.tsx";
import { deployFiles, TARGETS } from "./deploy_files.ts";
import { readUpload, uploadTitle } from "./read_upload.ts";

/**
 * Deploys the files in an upload form. Calls `open` once the files are valid. The page's script
 * first sends only a list of files. In that case, the response is JSON with the missing files, and
 * with the URL to which the script sends the list again once it has uploaded those files.
 */
export async function answerUpload(visit: PersonVisit, parts: {
  open(): Promise<{ readonly api: PageApi; readonly project: Project; readonly action: string }>;
  /** Shows the form again. */
  refuse(error: unknown): Response | Promise<Response>;
}): Promise<Response> {
  const isScript = visit.fields.list !== undefined;
  try {
    const upload = await readUpload(visit);
    const target = TARGETS.find((name) => name === visit.fields.target) ?? "production";
    const { api, project, action } = await parts.open();
    const message = visit.fields.message?.trim().slice(0, 500) || uploadTitle(upload);
    const answer = await deployFiles(api, project, { ...upload, target, message });
    if (answer.type === "missing") return Response.json({ missing: answer.missing, action });
    const location = `/deployments/${answer.id}`;
    return isScript ? Response.json({ location }) : goTo(location);
  } catch (error) {
    if (!isScript) return await parts.refuse(error);
    const failure = toFailure(error);
    if (failure.status >= 500 && failure.code !== "unavailable") throw error;
    return Response.json({ error: failure.message }, { status: failure.status });
  }
}
