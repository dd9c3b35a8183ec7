/**
 * Templates with `@NAME@` instead of values.
 *
 * @module
 */

const PLACE = /@([A-Z][A-Z0-9_]*)@/g;

/**
 * Fills a template.
 *
 * @throws {TypeError} for a name without a value.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(PLACE, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`The template needs a value for @${name}@`);
    return value;
  });
}
