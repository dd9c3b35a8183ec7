/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The start page for visitors who are not signed in. */
import { EntryFrame } from "../layout/frames.tsx";
import { showPage } from "../layout/document.tsx";

export function landingPage(platform: {
  readonly url: string;
  readonly version: string;
}): Response {
  const { url, version } = platform;
  return showPage(
    <EntryFrame
      title="svc is up"
      lead={`svc ${version} is running. Connect the CLI and deploy a folder.`}
      roomy
      shortPitch
    >
      <pre class="terminal" tabindex={0}>
        {`export SVC_API_URL=${url}\nsvc login\nsvc init --create\nsvc deploy --prod`}
      </pre>
      <div class="actions">
        <a class="button" href="/sign-in">Sign in</a>
        <a class="button quiet" href="/sign-up">Create an account</a>
      </div>
      <p class="aside-link">
        <a href="/docs">Documentation</a> · <a href="/docs/api">API reference</a> · for agents:{" "}
        <a href="/llms.txt">llms.txt</a> and <a href="/v1/openapi.json">OpenAPI</a>
      </p>
    </EntryFrame>,
    { title: "Platform" },
  );
}
