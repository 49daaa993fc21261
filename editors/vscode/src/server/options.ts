/** How the client library is to talk with the server. */
import * as vscode from "vscode";
import { RevealOutputChannelOn, TransportKind } from "vscode-languageclient/node";
import type { LanguageClientOptions, Middleware, ServerOptions } from "vscode-languageclient/node";
import { SECTION } from "../settings";

/** Languages whose files are given to the server; it decides itself which of them are CUDA or HIP. */
export const LANGUAGES = ["cuda-cpp", "cuda", "hip", "cpp", "c"];

/** Files that say how a project is built; their languages have no common name among editors. */
export const BUILD_FILES =
  "**/{CMakeLists.txt,Makefile,makefile,GNUmakefile,make.inc,Make.inc,make.def,Make.def,make.defs,Make.defs,make.rules,Make.rules,make.config,Make.config,make.common,Make.common,meson.build,meson_options.txt,meson.options,setup.py,BUILD,WORKSPACE,.bazelrc,build.rs,xmake.lua,SConstruct,SConscript,configure.ac,configure.in,Makefile.am,Makefile.in,CMakePresets.json,CMakeUserPresets.json,pyproject.toml,setup.cfg,environment.yml,environment.yaml,meta.yaml,Dockerfile,Containerfile,.gitlab-ci.yml,Jenkinsfile,.travis.yml,azure-pipelines.yml,appveyor.yml,.appveyor.yml,.cirrus.yml,.drone.yml,.woodpecker.yml,bitbucket-pipelines.yml,cloudbuild.yaml,docker-compose.yml,docker-compose.yaml,compose.yml,compose.yaml,Earthfile,devcontainer.json,.devcontainer.json,Singularity,Apptainer,justfile,Justfile,.justfile,Taskfile.yml,Taskfile.yaml,build.ninja,premake4.lua,premake5.lua,.envrc,conanfile.py,conanfile.txt,vcpkg.json,shell.nix,default.nix,flake.nix,Snakefile,tox.ini,Rakefile,build.gradle,build.gradle.kts,tasks.json,wscript,CMakeLists.txt.in,*.cmake,*.mk,*.mak,*.make,*.bazel,*.bzl,*.sh,*.bash,*.pro,*.pri,*.vcxproj,*.bat,*.cmd,*.ps1,*.m4,*.pc,*.dockerfile,*.Dockerfile,*.gmk,*.ninja,*.zsh,*.csh,*.tcsh,*.fish,*.sbatch,*.slurm,*.pbs,*.lsf,*.smk,*.pl}";

export function serverOptions(program: string): ServerOptions {
  return { command: program, args: ["lsp"], transport: TransportKind.stdio };
}

export function clientOptions(log: vscode.LogOutputChannel, middleware: Middleware): LanguageClientOptions {
  const sources = ["file", "untitled"].flatMap((scheme) => LANGUAGES.map((language) => ({ scheme, language })));
  return {
    documentSelector: [...sources, { scheme: "file", pattern: BUILD_FILES }],
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: vscode.workspace.getConfiguration(SECTION),
    markdown: { isTrusted: false, supportHtml: false },
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the server reads settings that are sent, too
    synchronize: { configurationSection: SECTION },
    middleware,
  };
}
