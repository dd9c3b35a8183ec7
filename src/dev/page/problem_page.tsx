/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The page that browsers get after the project's server has exited. */

/** A hint for a server that has exited. */
export const PROBLEM_HINT = "See svc dev's terminal for the reason. Press r there to restart";

/**
 * Renders the page with the last lines that the server printed. The page needs no separate style.
 */
export async function showProblem(problem: string, output: readonly string[]): Promise<Response> {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{problem}</title>
      </head>
      <body>
        <h1>{problem}</h1>
        <p>{PROBLEM_HINT}, and this page reloads.</p>
        {output.length === 0 ? null : <pre>{output.join("\n")}</pre>}
      </body>
    </html>
  );
  return new Response(`<!doctype html>${await page}`, {
    status: 502,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}
