--- hipshift's language server in Neovim: `require('hipshift').setup {}`.
local M = {}

--- Serves CUDA and HIP buffers from now on, those that are open as well.
--- @param options table|nil see `:help hipshift-setup`
function M.setup(options)
  local config = require('hipshift.config')
  local client = require('hipshift.client')
  config.set(options)
  vim.api.nvim_create_augroup('hipshift', { clear = true })
  vim.api.nvim_create_autocmd('FileType', {
    group = 'hipshift',
    pattern = config.options.filetypes,
    callback = function(event) client.attach(event.buf) end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local filetype = vim.api.nvim_buf_is_loaded(buffer) and vim.api.nvim_buf_get_option(buffer, 'filetype')
    if vim.tbl_contains(config.options.filetypes, filetype) then
      client.attach(buffer)
    end
  end
end

return M
