/**
 * What a deployment itself answers: its files, its 404 page, and the edge's
 * own pages in its name.
 *
 * @module
 */
import type { Answer } from "../response/edge_response.ts";
import { answerFromCompute, type ComputeUse, type Missing } from "../compute/compute_responder.ts";
import type { ComputeFailedError } from "../compute/compute_failure.ts";
import type { ServerRequest, Target } from "../compute/compute_request.ts";
import type { Header, HeaderList } from "../messages/header_list.ts";
import { plainPage } from "../response/error_pages.ts";
import type { RequestFields } from "../messages/request_fields.ts";
import type { Site } from "./site.ts";
import { decideStatic, negotiate } from "../static/decide.ts";
import { FileServer } from "../static/file_server.ts";
import { type ComputeResolution, isReading, type Resolution } from "../static/site_content.ts";
import type { StaticFile } from "../static/static_file.ts";

const NO_HEADERS: HeaderList = [];
const ALLOW_READING: HeaderList = [["allow", "GET, HEAD"]];

/** A request as far as terminal routing looks at it. */
export interface SiteRequest extends RequestFields {
  readonly method: string;
  readonly id: string;
}

/** A request on its way through the routes. */
interface RoutedTurn {
  readonly site: Site;
  readonly request: ServerRequest;
  readonly target: Target;
  readonly use: ComputeUse;
}

const ANY_USE: ComputeUse = { mayKeep: true };

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

/** The page for a server that could not answer; its cause is for the site's log. */
export function failureAnswer(
  error: ComputeFailedError,
  request: SiteRequest,
  { common }: Pick<Site, "common">,
): Answer {
  const page = edgePage(request, error.status, { headers: [...error.headers, ...common] });
  return { ...page, problem: error.message };
}

export class SiteAnswers {
  readonly #files: FileServer;

  /** `cacheBytes` bounds the memory for small files. */
  constructor(cacheBytes?: number) {
    this.#files = new FileServer(cacheBytes);
  }

  /**
   * Terminal routing of a normalized path.
   *
   * @throws {ComputeFailedError} where the server of a COMPUTE layer can not answer.
   */
  route(
    site: Site,
    request: ServerRequest,
    target: Target,
    use: ComputeUse = ANY_USE,
  ): Answer | Promise<Answer> {
    return this.#settle(
      { site, request, target, use },
      site.content.resolve(
        request.method,
        target.path,
      ),
    );
  }

  #settle(turn: RoutedTurn, resolution: Resolution): Answer | Promise<Answer> {
    const { site, request } = turn;
    const { method } = request;
    switch (resolution.type) {
      case "file":
        return this.file(site, request, resolution.file);
      case "read_only":
        return edgePage(request, 405, { headers: [...ALLOW_READING, ...site.common] });
      case "compute":
        return this.#ask(turn, resolution);
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

  #ask(turn: RoutedTurn, resolution: ComputeResolution): Answer | Promise<Answer> {
    const { site, request, target, use } = turn;
    const { compute } = site;
    if (compute === undefined) return edgePage(request, 501, { headers: site.common });
    const next = (answer: Answer | Missing): Answer | Promise<Answer> =>
      answer === "missing"
        ? this.#settle(turn, site.content.after(request.method, target.path, resolution))
        : answer;
    const answer = answerFromCompute({ site, compute, request, target, resolution, ...use });
    return answer instanceof Promise ? answer.then(next) : next(answer);
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
