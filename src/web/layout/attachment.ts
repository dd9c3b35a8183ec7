/** Suggests the name of a downloaded file, as the value of `content-disposition` (RFC 6266). */
export const attachment = (name: string): string =>
  `attachment; filename="${name.replaceAll(/[^\w.-]+/g, "_")}"`;
