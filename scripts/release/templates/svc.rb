class Svc < Formula
  desc "Hosting platform, its command-line tool and its edge in one program"
  homepage "@PLACE@"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "@FILES@/svc-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256_AARCH64_APPLE_DARWIN@"
    end
    on_intel do
      url "@FILES@/svc-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256_X86_64_APPLE_DARWIN@"
    end
  end

  on_linux do
    on_arm do
      url "@FILES@/svc-@VERSION@-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "@SHA256_AARCH64_UNKNOWN_LINUX_GNU@"
    end
    on_intel do
      url "@FILES@/svc-@VERSION@-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "@SHA256_X86_64_UNKNOWN_LINUX_GNU@"
    end
  end

  def install
    bin.install "svc"
    man1.install "svc.1"
    generate_completions_from_executable(bin/"svc", "completion")
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/svc --version").strip
  end
end
