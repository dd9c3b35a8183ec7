/** @module The forms of a project, declared in `svc.toml` or found in its HTML. */
import * as z from "zod";
import type { ProjectConfig } from "../config/project_config.ts";
import type { Diagnostic } from "../lib/diagnostic.ts";
import { FORM_NAME, MAX_FORMS } from "../lib/form_limits.ts";
import { formatCount, printable } from "../lib/format.ts";
import { nearest } from "../lib/suggest.ts";
import { formSchema, type FormSettings } from "../manifest/mod.ts";
import { BuildError } from "./build_error.ts";
import { findForms, type FoundForm } from "./find_forms.ts";
import type { OutputContent } from "./hash_files.ts";
import type { BuildHost } from "./types.ts";

const declaring = z.looseObject({ forms: z.array(formSchema).optional() });

/** Maximum number of names on one line. */
const MAX_SHOWN = 10;

/** Describes the problem with a form on a page. Returns `undefined` if the form works. */
function problemOf(
  { name, isPost }: FoundForm,
  known: ReadonlySet<string>,
): Pick<Diagnostic, "code" | "message" | "hint"> | undefined {
  const shown = printable(name);
  if (!FORM_NAME.test(name)) {
    return {
      code: "invalid_form_name",
      message: `"${shown}" cannot be the name of a form`,
      hint: "Use 1 to 40 lowercase letters, digits and hyphens, starting with a letter",
    };
  }
  if (!known.has(name)) {
    const near = nearest(name, known);
    return {
      code: "unknown_form",
      message: `The form "${shown}" does not exist: svc.toml does not declare it`,
      hint: near === undefined ? `Add [forms.${shown}] to svc.toml` : `Did you mean "${near}"?`,
    };
  }
  return isPost ? undefined : {
    code: "form_without_post",
    message: `The form "${shown}" is not sent with POST`,
    hint: 'Add method="post"',
  };
}

/** Warns about forms that do not work, page by page. */
function warnOfForms(
  host: BuildHost,
  found: readonly FoundForm[],
  known: ReadonlySet<string>,
): void {
  for (const [file, forms] of Map.groupBy(found, ({ page }) => page)) {
    const diagnostics = forms.flatMap((form): Diagnostic[] => {
      const problem = problemOf(form, known);
      const { position } = form;
      return problem ? [{ severity: "warning", path: "", ...problem, position }] : [];
    });
    const { source } = forms[0]!;
    if (diagnostics.length > 0) host.warn({ file, source, diagnostics });
  }
}

/**
 * Returns the manifest with the forms from `svc.toml` or, without a `[forms]` table, the forms
 * found in the pages. The manifest keeps its own forms. An invalid manifest is returned unchanged,
 * because another check rejects it.
 *
 * @throws {BuildError} if there are too many.
 */
export async function withForms(
  host: BuildHost,
  manifest: unknown,
  { config, files }: {
    readonly config: ProjectConfig | undefined;
    readonly files: readonly OutputContent[];
  },
): Promise<unknown> {
  const parsed = declaring.safeParse(manifest).data;
  if (parsed === undefined) return manifest;
  const found = await findForms(files);
  /** The page and line where each form first appears. */
  const places = new Map<string, string>();
  for (const { name, page, position } of found) {
    if (!places.has(name)) places.set(name, `${page}:${position.line}`);
  }
  const declared: readonly FormSettings[] = config?.forms ??
    [...places.keys()].filter((name) => FORM_NAME.test(name)).map((name) => ({ name }));
  const forms = [
    ...new Map([...declared, ...parsed.forms ?? []].map((form) => [form.name, form])).values(),
  ];
  warnOfForms(host, found, new Set(forms.map(({ name }) => name)));
  if (forms.length === 0) return manifest;
  if (forms.length > MAX_FORMS) {
    throw new BuildError(
      "manifest_invalid",
      `Use at most ${MAX_FORMS} forms: this project has ${forms.length}`,
    );
  }
  const names = forms.slice(0, MAX_SHOWN).map(({ name }) => {
    const place = places.get(name);
    return place === undefined ? name : `${name} (${printable(place)})`;
  });
  const more = forms.length > MAX_SHOWN ? ", …" : "";
  const word = config?.forms === undefined ? "Found" : "Declared";
  const count = formatCount(forms.length, "form");
  host.say("build", "info", `${word} ${count}: ${names.join(", ")}${more}`);
  return { ...parsed, forms };
}
