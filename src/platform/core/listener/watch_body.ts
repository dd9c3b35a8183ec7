/**
 * Request bodies whose progress is watched.
 *
 * @module
 */

/** Methods whose request bodies nobody reads. */
const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** Whether a request may bring a body. */
export const mayHaveBody = ({ method }: Request): boolean => !BODILESS.has(method);

/**
 * A copy of the request with a body whose reads are reported: `awaits` is
 * called when more is wanted, and `over` of its result when it came.
 */
export function watchBody(request: Request, awaits: () => { over(): void }): Request {
  const { body } = request;
  if (body === null) return request;
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const wait = awaits();
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } finally {
        wait.over();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return new Request(request, { body: watched });
}
