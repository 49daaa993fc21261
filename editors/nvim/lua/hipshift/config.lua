--- What the user sets, and what holds where nothing is set.
local M = {}

M.options = {
  --- The server and its arguments.
  cmd = { 'hipshift', 'lsp' },
  --- Buffers of these types are served; add `cpp` and `c` for projects whose headers call CUDA.
  filetypes = { 'cuda', 'hip' },
  --- A file belongs to the nearest directory upwards that has one of these, else to its own.
  root_markers = { 'hipshift.toml', '.git' },
  --- Settings of the server, see docs/editors/server.md.
  settings = {},
  --- Called with the client and the buffer when a buffer is served.
  on_attach = nil,
  --- What the editor says that it can; `nil` for Neovim's own.
  capabilities = nil,
}

--- Takes over what the user sets.
--- @param given table|nil keys as in `M.options`
function M.set(given)
  for key in pairs(given or {}) do
    local known = M.options[key] ~= nil or key == 'on_attach' or key == 'capabilities'
    if not known then
      error('hipshift: unknown option `' .. tostring(key) .. '`')
    end
  end
  M.options = vim.tbl_extend('force', M.options, given or {})
end

return M
