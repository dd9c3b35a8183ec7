/** @module The toolchains that svc can find on this machine, one per row. */
export interface Toolchain {
  readonly id: string;
  readonly name: string;
  /** Programs; the first available one is used. */
  readonly programs: readonly string[];
  /** Arguments that print the toolchain's version. */
  readonly versionArgs: readonly string[];
  /** How to install the toolchain, as a sentence without a period. */
  readonly install: string;
  /**
   * A command that prints the installation folder, for programs that may just be symlinks into it.
   */
  readonly folderCommand?: readonly [string, ...string[]];
  /** True for a single-file toolchain. */
  readonly isFile?: boolean;
  /** True for a toolchain that not only builds servers, but also runs them. */
  readonly runs?: boolean;
}

export const TOOLCHAINS: readonly Toolchain[] = [
  {
    id: "go",
    name: "Go",
    programs: ["go"],
    versionArgs: ["version"],
    install: 'Install Go from https://go.dev/dl, or with "apt-get install golang-go"',
    folderCommand: ["go", "env", "GOROOT"],
  },
  {
    id: "rust",
    name: "Rust",
    programs: ["cargo"],
    versionArgs: ["--version"],
    install: 'Install Rust from https://rustup.rs, or with "apt-get install cargo"',
    // rustup's programs only start a toolchain's programs in another folder.
    folderCommand: ["rustc", "--print", "sysroot"],
  },
  {
    id: "python",
    name: "Python",
    programs: ["python3"],
    versionArgs: ["--version"],
    install: 'Install Python with "apt-get install python3 python3-venv"',
    folderCommand: ["python3", "-c", "import sys; print(sys.base_prefix)"],
    runs: true,
  },
  {
    id: "uv",
    name: "uv",
    programs: ["uv"],
    versionArgs: ["--version"],
    install: 'Install uv from https://docs.astral.sh/uv, or with "pip install uv"',
    isFile: true,
  },
  {
    id: "ruby",
    name: "Ruby",
    programs: ["ruby"],
    versionArgs: ["--version"],
    install: 'Install Ruby with "apt-get install ruby-full"',
    folderCommand: ["ruby", "-e", 'puts RbConfig::CONFIG["prefix"]'],
    runs: true,
  },
  {
    id: "bundler",
    name: "Bundler",
    programs: ["bundle"],
    versionArgs: ["--version"],
    install: 'Install Bundler with "apt-get install bundler", or "gem install bundler"',
  },
  {
    id: "php",
    name: "PHP",
    programs: ["php"],
    versionArgs: ["--version"],
    install: 'Install PHP with "apt-get install php-cli"',
    runs: true,
  },
  {
    id: "composer",
    name: "Composer",
    programs: ["composer"],
    versionArgs: ["--version"],
    install: 'Install Composer from https://getcomposer.org, or with "apt-get install composer"',
    isFile: true,
  },
  {
    id: "java",
    name: "Java",
    programs: ["java"],
    versionArgs: ["--version"],
    install: 'Install a JDK with "apt-get install default-jdk-headless"',
    runs: true,
  },
  {
    id: "maven",
    name: "Maven",
    programs: ["mvn"],
    versionArgs: ["--version"],
    install: 'Install Maven with "apt-get install maven"',
  },
  {
    id: "gradle",
    name: "Gradle",
    programs: ["gradle"],
    versionArgs: ["--version"],
    install: 'Install Gradle from https://gradle.org, or commit its wrapper ("gradle wrapper")',
  },
  {
    id: "elixir",
    name: "Elixir",
    programs: ["mix"],
    versionArgs: ["--version"],
    install: 'Install Elixir with "apt-get install elixir"',
    runs: true,
  },
  {
    id: "container",
    name: "Podman or Docker",
    programs: ["podman", "docker"],
    versionArgs: ["--version"],
    install: 'Install Podman with "apt-get install podman", or Docker from https://docs.docker.com',
  },
  {
    id: "jekyll",
    name: "Jekyll",
    programs: ["jekyll"],
    versionArgs: ["--version"],
    install: 'Install Jekyll with "apt-get install jekyll", or list it in a Gemfile',
  },
  {
    id: "hugo",
    name: "Hugo",
    programs: ["hugo"],
    versionArgs: ["version"],
    install: 'Install Hugo from https://gohugo.io, or with "apt-get install hugo"',
    isFile: true,
  },
];
