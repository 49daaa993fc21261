--- Starts the server for buffers, and sends requests to it.
local config = require('hipshift.config')

local M = {}

--- Milliseconds to wait for an answer: the first request waits until the project is read.
local PATIENCE = 30000

--- Clients by root, for releases whose Neovim does not share them itself.
local by_root = {}

--- All clients of this server, however they were started.
function M.all()
  local list = vim.lsp.get_clients and vim.lsp.get_clients() or vim.lsp.get_active_clients()
  return vim.tbl_filter(function(client) return client.name == 'hipshift' end, list)
end

--- The client that serves a buffer, or `nil`.
function M.of(buffer)
  for _, client in ipairs(M.all()) do
    if vim.lsp.buf_is_attached(buffer, client.id) then
      return client
    end
  end
end

--- The client that serves a buffer; says so where there is none.
function M.demand(buffer)
  local client = M.of(buffer)
  if not client then
    vim.notify('hipshift: no server for this buffer; see `:help hipshift-setup`', vim.log.levels.ERROR)
  end
  return client
end

--- The directory that a file belongs to.
function M.root(path)
  local start = vim.fn.fnamemodify(path, ':p:h')
  for _, marker in ipairs(config.options.root_markers) do
    local directory = start
    while true do
      if vim.loop.fs_stat(directory .. '/' .. marker) then
        return directory
      end
      local parent = vim.fn.fnamemodify(directory, ':h')
      if parent == directory then
        break
      end
      directory = parent
    end
  end
  return start
end

--- What the editor says that it can: before 0.8 it forgot to say that it takes edits and renames of files together.
local function capabilities()
  local own = config.options.capabilities or vim.lsp.protocol.make_client_capabilities()
  return vim.tbl_deep_extend('force', own, { workspace = { workspaceEdit = { documentChanges = true } } })
end

local function description(root)
  local options = config.options
  return {
    name = 'hipshift',
    cmd = options.cmd,
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = vim.fn.fnamemodify(root, ':t') } },
    settings = { hipshift = options.settings },
    init_options = options.settings,
    capabilities = capabilities(),
    get_language_id = M.language,
    on_attach = options.on_attach,
  }
end

--- What the protocol calls the language of a buffer.
function M.language(_, filetype)
  return filetype == 'cuda' and 'cuda-cpp' or filetype
end

--- Serves a buffer of a file; buffers of other kinds stay as they are.
function M.attach(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  local is_file = vim.api.nvim_buf_get_option(buffer, 'buftype') == '' and path ~= ''
  if not is_file or M.of(buffer) then
    return
  end
  local root = M.root(path)
  if vim.lsp.start then
    vim.lsp.start(description(root), { bufnr = buffer })
    return
  end
  local id = by_root[root]
  if not id or not vim.lsp.get_client_by_id(id) then
    id = vim.lsp.start_client(description(root))
    by_root[root] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
end

--- Sends a request and calls `use` with the result; an error is shown.
function M.request(client, method, params, use)
  local answered = function(failure, result)
    if failure then
      vim.notify('hipshift: ' .. (failure.message or vim.inspect(failure)), vim.log.levels.ERROR)
    elseif use then
      use(result)
    end
  end
  -- Clients became objects with methods in 0.11.
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, answered)
  else
    client.request(method, params, answered)
  end
end

--- Sends a request and waits for the result.
--- @return any result, or `nil`
--- @return string|nil what went wrong
function M.ask(client, method, params)
  local done, answer, failure = false, nil, nil
  local answered = function(error, result)
    done, answer, failure = true, result, error and error.message
  end
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, answered)
  else
    client.request(method, params, answered)
  end
  if not vim.wait(PATIENCE, function() return done end, 5) then
    return nil, 'no answer to ' .. method
  end
  return answer, failure
end

--- Runs a command of the server.
function M.execute(client, command, argument, use)
  local arguments = argument and { argument } or {}
  M.request(client, 'workspace/executeCommand', { command = command, arguments = arguments }, use)
end

return M
