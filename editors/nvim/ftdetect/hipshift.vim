" CUDA and HIP sources. Neovim knows `.cu` and, from some release on, `.cuh`; it does not know `.hip`.
autocmd BufRead,BufNewFile *.cu,*.cuh setfiletype cuda
autocmd BufRead,BufNewFile *.hip,*.hip.cpp,*.hip.hpp set filetype=hip
