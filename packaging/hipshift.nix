# hipshift for Nix, from a clone of the repository:
#
#     nix-build -E '(import <nixpkgs> { }).callPackage ./packaging/hipshift.nix { }'
#
# Read by Nix's own parser, and never built with it, as nothing that builds with Nix was at hand.
{
  lib,
  rustPlatform,
  installShellFiles,
}:

rustPlatform.buildRustPackage {
  pname = "hipshift";
  version = (lib.importTOML ../Cargo.toml).workspace.package.version;

  src = lib.cleanSource ../.;
  cargoLock.lockFile = ../Cargo.lock;
  cargoBuildFlags = [
    "--package"
    "hipshift"
  ];

  nativeBuildInputs = [ installShellFiles ];

  # The tests fetch compilers, headers and sources.
  doCheck = false;

  postInstall = ''
    for command in "" convert diff review lint project init validate report run lsp map explain update undo trust \
      toolchain doctor self-check hipify completions man; do
      $out/bin/hipshift man $command > hipshift''${command:+-$command}.1
    done
    installManPage hipshift*.1
    installShellCompletion --cmd hipshift \
      --bash <($out/bin/hipshift completions bash) \
      --zsh <($out/bin/hipshift completions zsh) \
      --fish <($out/bin/hipshift completions fish)
  '';

  meta = {
    description = "Converts CUDA C++ projects to HIP for AMD GPUs and reports everything it could not convert";
    license = with lib.licenses; [
      mit
      asl20
    ];
    mainProgram = "hipshift";
    platforms = [ "x86_64-linux" ];
  };
}
