/**
 * Uses accounts as a person does: in Chromium with JavaScript disabled, and with the CLI in a
 * terminal.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { programCommand } from "../../scripts/_program.ts";
import { CHROMIUM, SHOTS, withChromium } from "../helpers/chromium.ts";
import { authenticatorCode } from "../helpers/authenticator.ts";
import { oneObject, type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { until } from "../../src/lib/_test_until.ts";

const isFile = (path: string): boolean => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
};
/** The `script` program from util-linux, which runs a command in its own terminal. */
const SCRIPT = ["/usr/bin/script"].find(isFile);

const LOOKS = [
  ["wide-light", 1280, 860, "light"],
  ["wide-dark", 1280, 860, "dark"],
  ["narrow-light", 390, 844, "light"],
  ["narrow-dark", 390, 844, "dark"],
] as const;

const PASSWORD = "a few words in a row";

/**
 * Takes screenshots of a page in every theme and size. No page may require horizontal scrolling.
 */
async function shoot(page: Page, name: string): Promise<void> {
  for (const [look, width, height, colorScheme] of LOOKS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const overflow = await page.locator("html").evaluate((html) => {
      const { scrollWidth, clientWidth } = html as unknown as Record<string, number>;
      return scrollWidth! - clientWidth!;
    });
    assert.ok(overflow <= 0, `${name} in ${look} is ${overflow} pixels too wide`);
    await page.screenshot({ path: join(SHOTS, `${name}-${look}.png`), fullPage: true });
  }
}

/** Moves from the top of the page to a button and presses it, using only the keyboard. */
async function pressByKeyboard(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 30; presses++) {
    await page.keyboard.press("Tab");
    if (await page.locator(":focus").evaluateAll((all) => all[0]?.textContent) === name) {
      return await page.keyboard.press("Enter");
    }
  }
  assert.fail(`The keyboard does not reach ${name}`);
}

async function withPerson(
  test: (parts: { page: Page; box: Sandbox; url: string; env: Record<string, string> }) => Promise<
    void
  >,
): Promise<void> {
  await withSandbox(async (box) => {
    const { url } = await box.start();
    const { SVC_TOKEN: _, ...env } = box.env;
    await withChromium(async (browser) => {
      const context = await browser.newContext({ javaScriptEnabled: false });
      context.setDefaultTimeout(60_000);
      await test({ page: await context.newPage(), box, url, env });
    });
  });
}

async function signUp(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/sign-up`);
  await shoot(page, "sign-up");
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await page.getByLabel("Email address").fill("ada@example.com");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByLabel("Name").fill("Kestrel Hut");
  await page.getByLabel("Slug").fill("kestrel-hut");
  await page.getByRole("button", { name: "Create workspace" }).click();
  await page.getByRole("status").getByText("Workspace created").waitFor();
}

/** Runs `svc login` in a terminal. A stand-in for the browser records the URL. */
async function loginInTerminal(box: Sandbox, env: Record<string, string>) {
  const [opened, opener] = [join(box.folder, "opened"), join(box.folder, "browser.sh")];
  await Deno.writeTextFile(
    opener,
    `#!/bin/sh\necho "$1" > "${opened}.new"\n` +
      `mv "${opened}.new" "${opened}"\n`,
  );
  await Deno.chmod(opener, 0o755);
  const command = [...programCommand(), "login"].map((word) => `'${word}'`).join(" ");
  const child = new Deno.Command(SCRIPT!, {
    args: ["-qefc", `stty cols 100 rows 50; ${command}`, "/dev/null"],
    env: { ...env, BROWSER: opener, TERM: "xterm" },
    clearEnv: true,
    cwd: box.site,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = child.output();
  await until(() => isFile(opened));
  return {
    address: (await Deno.readTextFile(opened)).trim(),
    async end() {
      const { code, stdout } = await output;
      return { code, screen: new TextDecoder().decode(stdout) };
    },
  };
}

const options = {
  ignore: CHROMIUM === undefined || SCRIPT === undefined,
  // The driver keeps the browser's pipes open until the test process exits.
  sanitizeOps: false,
  sanitizeResources: false,
};

Deno.test({
  ...options,
  name: "a person signs up and approves a terminal's svc login in Chromium",
  fn: () =>
    withPerson(async ({ page, box, url, env }) => {
      await signUp(page, url);
      const terminal = await loginInTerminal(box, env);
      await page.goto(terminal.address);
      const code = new URL(terminal.address).searchParams.get("code")!;
      assert.equal((await page.locator(".usercode").textContent())?.trim(), code);
      await shoot(page, "device");
      await pressByKeyboard(page, "Approve");
      await page.getByRole("heading", { name: "Connected" }).waitFor();
      await shoot(page, "device-approved");
      const { code: exit, screen } = await terminal.end();
      assert.equal(exit, 0, screen);
      assert.ok(screen.includes(code) && screen.includes(terminal.address), screen);
      assert.match(screen, /█▀▀▀▀▀█/);
      assert.match(screen, /Logged in to http/);
      const who = await box.tool(["whoami", "--json"], { SVC_TOKEN: "" });
      assert.equal((oneObject(who.stdout).workspace as { slug: string }).slug, "kestrel-hut");

      await page.goto(`${url}/account/sessions`);
      await page.getByText(/^svc \S+ on /).waitFor();
      await shoot(page, "sessions");
      await page.getByRole("button", { name: /^Revoke/ }).click();
      await page.getByRole("button", { name: "Revoke", exact: true }).click();
      await page.getByRole("status").getByText("revoked").waitFor();
      const after = await box.tool(["whoami", "--json"], { SVC_TOKEN: "" });
      assert.equal(oneObject(after.stdout).code, "unauthorized");
    }),
});

Deno.test({
  ...options,
  name: "svc login reports a denial in Chromium",
  fn: () =>
    withPerson(async ({ page, box, url, env }) => {
      await signUp(page, url);
      const terminal = await loginInTerminal(box, env);
      await page.goto(`${url}/device`);
      await page.getByLabel("Code").fill(new URL(terminal.address).searchParams.get("code")!);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Deny" }).click();
      await page.getByRole("heading", { name: "Denied" }).waitFor();
      await shoot(page, "device-denied");
      const { code, screen } = await terminal.end();
      assert.equal(code, 1, screen);
      assert.match(screen, /denied in the browser/);
    }),
});

Deno.test({
  ...options,
  name: "a person enables a second factor in Chromium and signs in with it",
  fn: () =>
    withPerson(async ({ page, url }) => {
      await signUp(page, url);
      await page.goto(`${url}/account`);
      await shoot(page, "account");
      await page.getByLabel("Confirm your password").fill(PASSWORD);
      await page.getByRole("button", { name: "Set up" }).click();
      await shoot(page, "enrol");
      const secret = (await page.locator("code.secret").innerText()).replaceAll(" ", "");
      await page.getByLabel("Six-digit code from the app").fill(authenticatorCode(secret));
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Save these codes" }).waitFor();
      const codes = await page.locator(".codes li").allInnerTexts();
      assert.equal(codes.length, 10);
      await shoot(page, "recovery-codes");
      await page.getByRole("link", { name: "I have saved these codes" }).click();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await shoot(page, "sign-in");
      await page.getByLabel("Email address").fill("ada@example.com");
      await page.getByLabel("Password").fill(PASSWORD);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Enter your code" }).waitFor();
      await shoot(page, "two-factor");
      await page.getByLabel("Code").fill("000000");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").getByText("Code is wrong").waitFor();
      await page.getByLabel("Code").fill(codes[0]!);
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "Account" }).waitFor();
      assert.match(page.url(), /\/projects$/);
    }),
});
