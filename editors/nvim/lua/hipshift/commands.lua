--- What the user commands do.
local client_of = require('hipshift.client')
local pages = require('hipshift.pages')
local preview = require('hipshift.preview')

local M = {}

--- Sends a command about the current buffer.
local function execute(command, argument)
  local client = client_of.demand(0)
  if client then
    client_of.execute(client, command, argument)
  end
end

local function document()
  return { uri = vim.uri_from_bufnr(0) }
end

--- Converts the file; with a range, what starts in these lines; with a bang, the workspace.
function M.convert(call)
  if call.bang then
    execute('hipshift.convertWorkspace')
  elseif call.range > 0 then
    local range = { start = { line = call.line1 - 1, character = 0 }, ['end'] = { line = call.line2, character = 0 } }
    execute('hipshift.convertSelection', { uri = document().uri, range = range })
  else
    execute('hipshift.convertFile', document())
  end
end

--- Makes all safe fixes in the file.
function M.fix_all()
  execute('hipshift.fixAll', document())
end

function M.preview()
  preview.toggle()
end

--- Opens the page of a rule; without one, that of the finding at the cursor.
function M.explain(call)
  local code = call.args ~= '' and call.args or pages.code_here()
  if code then
    pages.open(code)
  else
    vim.notify('hipshift: no finding on this line; name a rule', vim.log.levels.WARN)
  end
end

--- Goes to the same place in the file that a conversion wrote, or back.
function M.counterpart()
  local client = client_of.demand(0)
  if not client then
    return
  end
  local encoding = client.offset_encoding or 'utf-16'
  local params = vim.lsp.util.make_position_params(0, encoding)
  client_of.request(client, 'hipshift/counterpart', params, function(location)
    if not location then
      vim.notify('hipshift: no counterpart of this file is known', vim.log.levels.WARN)
    elseif vim.lsp.util.show_document then
      vim.lsp.util.show_document(location, encoding, { focus = true })
    else
      vim.lsp.util.jump_to_location(location, encoding)
    end
  end)
end

return M
