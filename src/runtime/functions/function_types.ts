/**
 * The types for authors of functions, as the text of `functions/svc.d.ts`.
 *
 * @module
 */

/** Declares the global types `SvcFunction`, `SvcContext` and what they hold. */
export const functionTypes =
  `// Types of svc functions. Written by \`svc init\`; see docs/functions.md.

/** The two-letter country (ISO 3166-1) of the client; empty where it is unknown. */
interface SvcGeo {
  readonly country?: string;
}

interface SvcContext {
  /** Address of the client. */
  readonly ip: string;
  readonly geo: SvcGeo;
  /** Number of the client's network, where it is known. */
  readonly asn: number | undefined;
  readonly device: "desktop" | "mobile" | "tablet" | "bot" | undefined;
  readonly deployment: { readonly id: string; readonly url?: string };
  /** The variables of the project's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Also in the answer's header x-svc-request-id and in the logs. */
  readonly requestId: string;
  /** The step's \`as\` name in the pipeline. */
  readonly as: string | undefined;
  /** The answer so far: in response and observe steps. Observers see no body. */
  readonly response: Response | undefined;
  /** Keeps work going after the answer, for a bounded time. */
  waitUntil(promise: Promise<unknown>): void;
}

/** In a response step the answer so far is there. */
interface SvcResponseContext extends SvcContext {
  readonly response: Response;
}

type SvcResult<T> = T | Promise<T>;

/** Answers a request: \`handle\`. */
type SvcHandle = (request: Request, context: SvcContext) => SvcResult<Response>;

/** Ends the request with a Response, changes it with a Request, or lets it go on. */
type SvcRequestStep = (
  request: Request,
  context: SvcContext,
) => SvcResult<Response | Request | void>;

/** Replaces the answer, or leaves it. */
type SvcResponseStep = (
  request: Request,
  context: SvcResponseContext,
) => SvcResult<Response | void>;

/** Watches; what it returns is ignored. */
type SvcObserveStep = (request: Request, context: SvcResponseContext) => unknown;

type SvcFunction = SvcHandle | SvcRequestStep | SvcResponseStep | SvcObserveStep;
`;
