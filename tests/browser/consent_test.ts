/**
 * Tests a program's request for access. The official MCP client sends the request, and the person
 * decides in Chromium.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../../src/lib/_test_until.ts";
import { BROWSER_TEST, hearComplaints, withChromium } from "../helpers/chromium.ts";
import { withDashboard } from "../helpers/dashboard.ts";
import { PASSWORD } from "../helpers/page_visitor.ts";
import { stopServer } from "../../src/lib/stop_server.ts";

/**
 * Starts a program on this machine: an MCP client, and a local server to which the browser returns
 * the response.
 */
function startProgram(url: string) {
  const answers: URLSearchParams[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/callback") answers.push(searchParams);
      return new Response("<!doctype html><title>Back</title>Back in the program", {
        headers: { "content-type": "text/html" },
      });
    },
  );
  const redirect = `http://127.0.0.1:${server.addr.port}/callback`;
  const state = { sentTo: undefined as URL | undefined, tokens: undefined as unknown };
  const kept: { client?: unknown; verifier?: string } = {};
  const authProvider = {
    redirectUrl: redirect,
    clientMetadata: { client_name: "Harbour agent", redirect_uris: [redirect] },
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => void (kept.client = client),
    tokens: () => state.tokens,
    saveTokens: (tokens: unknown) => void (state.tokens = tokens),
    redirectToAuthorization: (address: URL) => void (state.sentTo = address),
    saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? "",
    state: () => "state-of-the-program",
  };
  const open = () =>
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      authProvider: authProvider as never,
    });
  return {
    state,
    redirect,
    open,
    host: new URL(redirect).host,
    /** Tries to connect. Returns the connection, and the page to which the person is sent. */
    async ask() {
      state.sentTo = undefined;
      const transport = open();
      await assert.rejects(new Client({ name: "agent", version: "1" }).connect(transport));
      assert.ok(state.sentTo !== undefined, "the client did not open the authorization URL");
      return { transport, address: (state.sentTo as URL).href };
    },
    /** Returns the response that the browser delivers. */
    async answer(): Promise<URLSearchParams> {
      await until(() => answers.length, (count) => count > 0);
      return answers.pop()!;
    },
    [Symbol.asyncDispose]: () => stopServer(server),
  };
}

const textOf = (page: Page) => page.locator("body").innerText();

Deno.test({
  name: "a person reads an MCP client's request, denies it, gives it read access, and revokes it",
  ...BROWSER_TEST,
  fn: () =>
    withDashboard(async ({ platform, api }) => {
      await api("POST", "/v1/projects", { name: "blog" });
      await using program = startProgram(platform.url);
      await withChromium(async (browser) => {
        const page = await browser.newPage();
        page.setDefaultTimeout(30_000);
        const complaints = hearComplaints(page);

        // A person who is not yet signed in signs in first, and then returns to the question.
        const denied = await program.ask();
        await page.goto(denied.address);
        await page.getByLabel("Email").fill("ada@example.com");
        await page.getByLabel("Password").fill(PASSWORD);
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByRole("heading", { name: "Authorize this app?" }).waitFor();
        const text = await textOf(page);
        for (
          const wanted of [
            "Harbour agent",
            `an app on your computer (${program.host})`,
            "ada@example.com",
            "Its name is not verified",
            "Acme",
            "acme, as owner",
            "Read only",
            "See projects, deployments, logs and traffic",
            "Read and write",
            "Do everything you can do there, for example roll back production",
          ]
        ) assert.ok(text.includes(wanted), `${wanted}: ${text}`);
        await page.getByRole("button", { name: "Deny" }).click();
        await page.getByText("Back in the program").waitFor();
        const no = await program.answer();
        assert.deepEqual(
          [no.get("error"), no.get("state"), no.get("iss"), no.get("code")],
          ["access_denied", "state-of-the-program", platform.url, null],
        );
        assert.equal(program.state.tokens, undefined);

        const { transport, address } = await program.ask();
        await page.goto(address);
        await page.getByRole("radio", { name: /See projects/ }).check();
        await page.getByRole("button", { name: "Allow access" }).click();
        await page.getByText("Back in the program").waitFor();
        const yes = await program.answer();
        assert.deepEqual([yes.get("state"), yes.get("iss")], [
          "state-of-the-program",
          platform.url,
        ]);
        await transport.finishAuth(yes.get("code") ?? "");
        const client = new Client({ name: "agent", version: "1" });
        await client.connect(program.open());
        const listed = await client.callTool({ name: "list_projects", arguments: {} });
        assert.match(JSON.stringify(listed.content), /blog/);
        const refused = await client.callTool({ name: "create_project", arguments: { name: "x" } })
          .then((answer: object) => "isError" in answer && answer.isError === true, () => true);
        assert.ok(refused, "a read-only token creates no project");
        const { json: { items } } = await api("GET", "/v1/projects");
        assert.deepEqual(items.map(({ name }: { name: string }) => name), ["blog"]);

        await page.goto(`${platform.url}/account/sessions`);
        assert.match(await textOf(page), /Harbour agent/);
        await page.getByRole("button", { name: /Harbour agent/ }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
        await page.waitForURL(/[?&]done=/);
        assert.doesNotMatch(await textOf(page), /Harbour agent/);
        await assert.rejects(client.callTool({ name: "list_projects", arguments: {} }));
        await client.close();
        assert.deepEqual(complaints, []);
      });
    }),
});
