--- The converted form of a buffer, beside it, renewed with every edit.
local client_of = require('hipshift.client')

local M = {}

--- Previews by the URI of their source: `{ buffer = number, source = number }`.
local open = {}

local function fill(preview, converted)
  local buffer = preview.buffer
  if not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  vim.api.nvim_buf_set_option(buffer, 'modifiable', true)
  local text = converted.text:gsub('\r\n', '\n'):gsub('\n$', '')
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\n', { plain = true }))
  vim.api.nvim_buf_set_option(buffer, 'modifiable', false)
  vim.api.nvim_buf_set_option(buffer, 'modified', false)
end

local function renew(uri)
  local preview = open[uri]
  local client = preview and client_of.of(preview.source)
  if not client then
    return
  end
  client_of.request(client, 'hipshift/openConverted', { textDocument = { uri = uri } }, function(converted)
    if open[uri] and converted then
      fill(open[uri], converted)
    end
  end)
end

--- Tells that the converted form of a document is another one now.
function M.changed(uri)
  renew(uri)
end

local function scratch(name)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buffer, name)
  vim.api.nvim_buf_set_option(buffer, 'bufhidden', 'wipe')
  vim.api.nvim_buf_set_option(buffer, 'modifiable', false)
  return buffer
end

--- Both windows scroll together.
local function show(buffer)
  vim.cmd('setlocal scrollbind')
  local source = vim.api.nvim_get_current_win()
  vim.cmd('rightbelow vsplit')
  vim.api.nvim_win_set_buf(0, buffer)
  vim.cmd('setlocal scrollbind')
  vim.cmd('syncbind')
  vim.api.nvim_set_current_win(source)
end

--- Forgets a preview when its window goes.
local function forget_when_closed(uri, buffer, source)
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buffer,
    callback = function()
      open[uri] = nil
      for _, window in ipairs(vim.fn.win_findbuf(source)) do
        vim.api.nvim_win_set_option(window, 'scrollbind', false)
      end
    end,
  })
end

--- Opens the converted form of the current buffer beside it, or closes it.
function M.toggle()
  local source = vim.api.nvim_get_current_buf()
  local uri = vim.uri_from_bufnr(source)
  if open[uri] then
    vim.api.nvim_buf_delete(open[uri].buffer, { force = true })
    return
  end
  local client = client_of.demand(source)
  if not client then
    return
  end
  client_of.request(client, 'hipshift/openConverted', { textDocument = { uri = uri } }, function(converted)
    if not converted or open[uri] then
      return
    end
    local name = vim.fn.fnamemodify(vim.uri_to_fname(converted.uri), ':t')
    local preview = { buffer = scratch('hipshift-preview://' .. name .. '#' .. source), source = source }
    open[uri] = preview
    show(preview.buffer)
    -- No server is asked about it: it is no file.
    vim.api.nvim_buf_set_option(preview.buffer, 'filetype', 'hip')
    forget_when_closed(uri, preview.buffer, source)
    fill(preview, converted)
  end)
end

--- The buffer that shows the converted form of a buffer, or `nil`.
function M.buffer_of(source)
  local preview = open[vim.uri_from_bufnr(source)]
  return preview and preview.buffer
end

return M
