import assert from "node:assert/strict";
import { parseProjectConfig } from "../config/project_config.ts";
import { withForms } from "./declared_forms.ts";
import type { BuildHost } from "./types.ts";

const INDEX = `<!-- <form action="/_svc/forms/old" method="post"> -->
<script>"<form action='/_svc/forms/scripted' method=post>"</script>
<form
  class="a > b" method="POST" action="/_svc/forms/contact?x">
<FORM METHOD=post ACTION=../_svc/forms/jobs>
<form action="/_svc/forms/contact" method="post">
<form action="/_svc/forms/plain"> <form action="/search">`;

async function declare(toml: string, pages: Readonly<Record<string, string>>) {
  const lines: string[] = [];
  const host = {
    say: (_phase: string, level: string, message: string) => lines.push(`${level}: ${message}`),
    warn: ({ file, diagnostics }: Parameters<BuildHost["warn"]>[0]) => {
      for (const { message, hint, position } of diagnostics) {
        lines.push(`${file}:${position?.line}: ${message}. ${hint}`);
      }
    },
  };
  const files = Object.entries(pages).map(([path, text]) => {
    const content = new TextEncoder().encode(text);
    return { path, content, size: content.byteLength };
  });
  const { config } = parseProjectConfig(toml);
  assert.ok(config !== undefined);
  const manifest = await withForms(host as unknown as BuildHost, {}, { config, files });
  return { forms: (manifest as { forms?: unknown }).forms, lines };
}

Deno.test("withForms() finds forms in pages and reports where they are", async () => {
  const found = await declare("", {
    "index.html": INDEX,
    "b.html": '<p>\n<form action="/_svc/forms/Contact%20Us" method=post>',
    "c.txt": '<form action="/_svc/forms/text" method="post">',
  });
  assert.deepEqual(
    found.forms,
    [{ name: "contact" }, { name: "jobs" }, { name: "plain" }],
  );
  assert.deepEqual(found.lines, [
    'b.html:2: "Contact%20Us" cannot be the name of a form. Use 1 to 40 lowercase letters, digits and hyphens, starting with a letter',
    'index.html:7: The form "plain" is not sent with POST. Add method="post"',
    "info: Found 3 forms: contact (index.html:3), jobs (index.html:5), plain (index.html:7)",
  ]);
});

Deno.test("withForms() uses only the forms in svc.toml, and reports all others", async () => {
  const toml = '[forms.contakt]\nrequired = ["email"]\nretention = "90d"\n';
  const { forms, lines } = await declare(toml, { "index.html": INDEX });
  assert.deepEqual(forms, [{
    name: "contakt",
    required: ["email"],
    retentionSeconds: 90 * 86_400,
  }]);
  const unknown = (name: string) =>
    `The form "${name}" does not exist: svc.toml does not declare it`;
  assert.deepEqual(lines, [
    `index.html:3: ${unknown("contact")}. Did you mean "contakt"?`,
    `index.html:5: ${unknown("jobs")}. Add [forms.jobs] to svc.toml`,
    `index.html:6: ${unknown("contact")}. Did you mean "contakt"?`,
    `index.html:7: ${unknown("plain")}. Add [forms.plain] to svc.toml`,
    "info: Declared 1 form: contakt",
  ]);
});
