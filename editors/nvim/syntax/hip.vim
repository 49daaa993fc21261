" HIP has the keywords of CUDA.
if exists('b:current_syntax')
  finish
endif
runtime! syntax/cuda.vim
let b:current_syntax = 'hip'
