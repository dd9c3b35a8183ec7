/** @module `/workspaces/{slug}/projects/{project}/blobs`. */
import { readStoreRefusal } from "../../client/store_refusal.ts";
import { MAX_KEY_BYTES } from "../../contract/blob_store.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { QUESTIONS } from "../asking/questions.ts";
import { goTo } from "../layout/document.tsx";
import { type FormPage, refused } from "../layout/form.ts";
import { MAX_UPLOAD_BYTES } from "../start/read_upload.ts";
import { type BoardServices, namedIn } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import {
  blobPage,
  blobsPage,
  closedBlobsPage,
  LINK_TIMES,
  type ObjectView,
} from "./blobs_page.tsx";
import { environmentNames } from "./environment_names.ts";
import { askOnProject, canChange, openProject, type ProjectVisit } from "./open_project.ts";
import { pathWith } from "./store_filters.tsx";

export interface BlobPageServices extends BoardServices {
  /** Handles a request to the S3 endpoint. */
  answerBlobs(request: Request): Promise<Response>;
}

const AT = "/workspaces/:slug/projects/:project/blobs";
/**
 * Maximum number of folders and objects on a page. This limits the page's size even with the
 * longest keys.
 */
const SIZE = 20;
/** Maximum number of files in one form. */
const MAX_FILES = 100;
/**
 * Lifetime of a download link in seconds, which is short because the browser follows the link
 * immediately.
 */
const DOWNLOAD_SECONDS = 60;

const textOf = (query: URLSearchParams, name: string): string =>
  query.get(name)?.slice(0, MAX_KEY_BYTES) ?? "";

const environmentOf = ({ query }: PersonVisit): string =>
  textOf(query, "environment") || ENVIRONMENT_PRODUCTION;

/** Lists the folders and objects in a store. */
function list({ api, project }: ProjectVisit, query: Readonly<Record<string, unknown>>) {
  return api.call(endpoints.listBlobs, {
    params: { project: project.name },
    query: query as { environment: string; prefix: string; limit: number },
  });
}

/**
 * Finds the object with a key. Among all keys that start with this key, the key itself comes first.
 */
async function find(parts: ProjectVisit, environment: string, key: string) {
  const { items: [first] } = await list(parts, { environment, prefix: key, limit: 1 });
  return first?.key === key ? first : undefined;
}

/** Signs a URL for one operation on an object. */
function sign(
  { api, project }: ProjectVisit,
  selection: { environment: string; key: string; method?: "GET" | "PUT"; expiresIn: number },
) {
  return api.call(endpoints.signBlob, {
    params: { project: project.name },
    body: { method: "GET", ...selection },
  });
}

/**
 * Returns the files in a form, except for the empty file that browsers send for a field without
 * files.
 */
function filesOf(visit: PersonVisit): readonly File[] {
  const files = visit.files("files").filter(({ name, size }) => name !== "" || size > 0);
  if (files.length === 0) throw new Failure("invalid_request", "Choose a file to upload");
  if (files.length > MAX_FILES) {
    throw new Failure("invalid_request", `Upload at most ${MAX_FILES} files at a time`);
  }
  return files;
}

export function bindBlobs(bind: PageBinder, services: BlobPageServices): void {
  const showObjects = async (visit: PersonVisit, shown: FormPage = {}) => {
    const parts = await openProject(visit, services);
    if (!canChange(parts)) return closedBlobsPage(parts, shown);
    const selection = {
      environment: environmentOf(visit),
      prefix: textOf(visit.query, "prefix"),
      cursor: textOf(visit.query, "cursor") || null,
    };
    const { cursor, ...place } = selection;
    const [page, environments] = await Promise.all([
      list(parts, {
        ...{ ...place, delimiter: "/", limit: SIZE },
        cursor: cursor ?? undefined,
      }),
      environmentNames(parts),
    ]);
    return blobsPage(parts, { ...shown, selection, environments, page });
  };

  const showObject = async (
    visit: PersonVisit,
    shown: FormPage & Pick<ObjectView, "link"> = {},
  ) => {
    const parts = await openProject(visit, services);
    if (!canChange(parts)) return closedBlobsPage(parts, shown);
    const [environment, key] = [environmentOf(visit), textOf(visit.query, "key")];
    const object = await find(parts, environment, key);
    return blobPage(parts, { ...shown, environment, key, object });
  };

  bind.personal(
    "GET",
    AT,
    (visit) => textOf(visit.query, "key") === "" ? showObjects(visit) : showObject(visit),
  );

  bind.personal("GET", `${AT}/download`, async (visit) => {
    const parts = await openProject(visit, services);
    const { url } = await sign(parts, {
      environment: environmentOf(visit),
      key: textOf(visit.query, "key"),
      expiresIn: DOWNLOAD_SECONDS,
    });
    return goTo(url);
  });

  bind.personal("POST", `${AT}/sign`, async (visit) => {
    const [environment, key] = [environmentOf(visit), textOf(visit.query, "key")];
    try {
      const parts = await openProject(visit, services);
      const [expiresIn] = LINK_TIMES.find(([seconds]) => `${seconds}` === visit.fields.expires) ??
        LINK_TIMES[0]!;
      return await showObject(visit, { link: await sign(parts, { environment, key, expiresIn }) });
    } catch (error) {
      return showObject(visit, refused(error, visit.fields));
    }
  });

  /** Uploads the file as any other client would, so the same limits apply. */
  const upload = async (parts: ProjectVisit, environment: string, key: string, file: File) => {
    const { url } = await sign(parts, {
      environment,
      key,
      method: "PUT",
      expiresIn: DOWNLOAD_SECONDS,
    });
    const headers = {
      host: new URL(url).host,
      "content-length": `${file.size}`,
      ...(file.type === "" ? {} : { "content-type": file.type }),
    };
    const response = await services.answerBlobs(
      new Request(url, { method: "PUT", headers, body: file.stream() }),
    );
    if (response.ok) return;
    const { code, message } = await readStoreRefusal(response);
    throw new Failure(code, message);
  };

  bind.personal("POST", `${AT}/upload`, async (visit) => {
    const environment = environmentOf(visit);
    try {
      const files = filesOf(visit);
      const parts = await openProject(visit, services);
      const { folder = "" } = visit.fields;
      const prefix = folder === "" || folder.endsWith("/") ? folder : `${folder}/`;
      for (const file of files) await upload(parts, environment, prefix + file.name, file);
      return goTo(pathWith(parts.path("blobs"), { environment, prefix, done: "files-uploaded" }));
    } catch (error) {
      return showObjects(visit, refused(error, visit.fields));
    }
  }, { maxUpload: MAX_UPLOAD_BYTES });

  bind.asking(`${AT}/delete`, {
    ask: askOnProject(services, (parts) => QUESTIONS.blob(namedIn(parts))),
    run: async (visit) => {
      const parts = await openProject(visit, services);
      const [environment, key] = [environmentOf(visit), textOf(visit.query, "key")];
      await parts.api.call(endpoints.deleteBlob, {
        params: { project: parts.project.name },
        query: { environment, key },
      });
      const prefix = key.slice(0, key.lastIndexOf("/") + 1);
      return goTo(pathWith(parts.path("blobs"), { environment, prefix, done: "object-deleted" }));
    },
  });
}
