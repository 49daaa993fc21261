# hipshift for Homebrew on Linux, from an address of the repository: `brew install --HEAD ./packaging/hipshift.rb` after ADDRESS was filled in.
# Ruby reads it; it was never installed, as nothing that has Homebrew was at hand.
class Hipshift < Formula
  desc "Converts CUDA C++ projects to HIP for AMD GPUs"
  homepage "ADDRESS"
  license any_of: ["MIT", "Apache-2.0"]
  head "ADDRESS", using: :git, branch: "main"

  depends_on "rust" => :build
  depends_on :linux

  def install
    system "cargo", "install", *std_cargo_args
    generate_completions_from_executable(bin/"hipshift", "completions")
    (man1/"hipshift.1").write Utils.safe_popen_read(bin/"hipshift", "man")
    commands = `#{bin}/hipshift --help`[/Commands:\n(.*?)\n\n/m, 1].scan(/^ {2}(\S+)/).flatten
    commands.each do |command|
      (man1/"hipshift-#{command}.1").write Utils.safe_popen_read(bin/"hipshift", "man", command)
    end
  end

  test do
    (testpath/"a.cu").write "void f(void **p) { cudaMalloc(p, 4); }\n"
    assert_match "hipMalloc", shell_output("#{bin}/hipshift convert a.cu -o b.hip; cat b.hip")
  end
end
