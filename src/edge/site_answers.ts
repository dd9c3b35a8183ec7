/**
 * What a deployment itself answers: its files, its 404 page, and the edge's
 * own pages in its name.
 *
 * @module
 */
import type { Answer } from "./answer.ts";
import type { Header, HeaderList } from "./header_list.ts";
import { plainPage } from "./pages.ts";
import type { RequestFields } from "./request_fields.ts";
import type { Site } from "./site.ts";
import { decideStatic, negotiate } from "./static/decide.ts";
import { FileServer } from "./static/file_server.ts";
import { isReading } from "./static/site_content.ts";
import type { StaticFile } from "./static/static_file.ts";

const NO_HEADERS: HeaderList = [];
const ALLOW_READING: HeaderList = [["allow", "GET, HEAD"]];

/** A request as far as terminal routing looks at it. */
export interface SiteRequest extends RequestFields {
  readonly method: string;
  readonly id: string;
}

export interface PageWords {
  readonly headers?: HeaderList;
  /** Title and sentence in place of the status's own. */
  readonly words?: readonly [title: string, sentence: string];
}

/** One of the edge's own pages. */
export function edgePage(request: SiteRequest, status: number, options: PageWords = {}): Answer {
  return plainPage(status, {
    method: request.method,
    accept: request.header("accept"),
    requestId: request.id,
    headers: NO_HEADERS,
    ...options,
  });
}

export class SiteAnswers {
  readonly #files: FileServer;

  /** `cacheBytes` bounds the memory for small files. */
  constructor(cacheBytes?: number) {
    this.#files = new FileServer(cacheBytes);
  }

  /** Terminal routing of a normalized path. */
  route(site: Site, request: SiteRequest, path: string): Answer | Promise<Answer> {
    const { method } = request;
    const resolution = site.content.resolve(method, path);
    switch (resolution.type) {
      case "file":
        return this.file(site, request, resolution.file);
      case "read_only":
        return edgePage(request, 405, { headers: [...ALLOW_READING, ...site.common] });
      case "compute":
        return edgePage(request, 501, { headers: site.common });
      case "missing": {
        const { page } = resolution;
        if (page === undefined || !isReading(method)) {
          return edgePage(request, 404, { headers: site.common });
        }
        const representation = negotiate(page, request);
        return this.#files.whole(representation, 404, { method, blobs: site.blobs });
      }
    }
  }

  /** Answers with a file; the method is one that reads. */
  file(site: Site, request: SiteRequest, file: StaticFile): Answer | Promise<Answer> {
    const method = request.method === "HEAD" ? "HEAD" : "GET";
    const decision = decideStatic(file, method, request);
    switch (decision.type) {
      case "precondition_failed":
        return edgePage(request, 412, { headers: site.common });
      case "unsatisfiable": {
        const range: Header = ["content-range", `bytes */${decision.size}`];
        return edgePage(request, 416, { headers: [range, ...site.common] });
      }
      default:
        return this.#files.perform(decision, { method, blobs: site.blobs });
    }
  }
}
