--- For `vim.lsp.enable('hipshift')` of Neovim 0.11 and later; takes the place of `setup`.
local options = require('hipshift.config').options

return {
  cmd = options.cmd,
  filetypes = options.filetypes,
  root_markers = options.root_markers,
  settings = { hipshift = options.settings },
  get_language_id = require('hipshift.client').language,
}
