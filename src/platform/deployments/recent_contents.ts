/**
 * The contents of recently used deployments. A deployment's content is needed when it is activated,
 * when its site is compiled, and again for the next deployment. The cache avoids reading, parsing
 * and validating the content each time.
 *
 * @module
 */

/** Maximum number of files in all remembered contents: about 15 MB. */
const MAX_FILES = 40_000;

/** Cost of content without files, expressed as a number of files. */
const BASE_COST = 100;

interface HasFiles {
  readonly files: readonly unknown[];
}

/** Contents by hash. The least recently used are evicted. */
export class RecentContents<Content extends HasFiles> {
  readonly #contents = new Map<string, Content>();
  #files = 0;

  readonly #maxFiles;

  constructor(maxFiles = MAX_FILES) {
    this.#maxFiles = maxFiles;
  }

  get(sha256: string): Content | undefined {
    const content = this.#contents.get(sha256);
    if (content !== undefined) {
      this.#contents.delete(sha256);
      this.#contents.set(sha256, content);
    }
    return content;
  }

  set(sha256: string, content: Content): void {
    this.delete(sha256);
    if (this.#cost(content) > this.#maxFiles) return;
    this.#contents.set(sha256, content);
    this.#files += this.#cost(content);
    for (const [oldest] of this.#contents) {
      if (this.#files <= this.#maxFiles) return;
      this.delete(oldest);
    }
  }

  delete(sha256: string): void {
    const content = this.#contents.get(sha256);
    if (content === undefined) return;
    this.#contents.delete(sha256);
    this.#files -= this.#cost(content);
  }

  #cost({ files }: Content): number {
    return files.length + BASE_COST;
  }
}
