/** Masks the values of variables in text that is stored or sent elsewhere. @module */
import { createSecretMasker, type SecretMasker } from "../../lib/mask_secrets.ts";
import type { VariableStore } from "./variable_store.ts";

/** Returns the password in a URL, which programs also print separately. */
function passwordOf(value: string): string[] {
  const password = URL.parse(value)?.password ?? "";
  if (password === "") return [];
  try {
    return [decodeURIComponent(password)];
  } catch {
    // The password has an invalid percent escape, so programs use it unchanged.
    return [password];
  }
}

/** Masks the values of a deployment's variables, except those that are plain everywhere. */
export function maskerFor(
  values: Readonly<Record<string, string>>,
  known: Awaited<ReturnType<VariableStore["list"]>>,
): SecretMasker {
  const plain = new Set(known.flatMap(({ key, category }) => category === "plain" ? [key] : []));
  for (const { key, category } of known) if (category !== "plain") plain.delete(key);
  return createSecretMasker(
    Object.entries(values).flatMap(([key, value]) =>
      plain.has(key) ? [] : [value, ...passwordOf(value)]
    ),
  );
}
