--- Pages of rules. The server calls them `hipshift:/rules/W004.md`, which Neovim takes for a file below the working directory;
--- two slashes make it an address here too.
local client_of = require('hipshift.client')

local M = {}

--- The code of the finding at the cursor, or on its line; `nil` where there is none.
function M.code_here()
  local position = vim.api.nvim_win_get_cursor(0)
  local line, column = position[1] - 1, position[2]
  local on_line
  for _, finding in ipairs(vim.diagnostic.get(0, { lnum = line })) do
    local code = finding.code or vim.tbl_get(finding, 'user_data', 'lsp', 'code')
    if finding.source == 'hipshift' and code then
      on_line = on_line or code
      if finding.col <= column and column < (finding.end_col or finding.col + 1) then
        return code
      end
    end
  end
  return on_line
end

--- Opens the page of a rule: its code or its name.
function M.open(code)
  vim.cmd('split ' .. vim.fn.fnameescape('hipshift://rules/' .. code .. '.md'))
end

--- Fills a buffer whose name is the address of a page, in either form.
function M.read(buffer, address)
  local code = address:match('hipshift:/+rules/(.+)%.md$')
  local client = client_of.all()[1]
  local text, failure
  if not client then
    failure = 'no server runs; open a CUDA or HIP file first'
  else
    text, failure = client_of.ask(client, 'workspace/executeCommand', {
      command = 'hipshift.explain',
      arguments = { { code = code } },
    })
  end
  local lines = vim.split(text or ('hipshift: ' .. (failure or 'no such page')), '\n', { plain = true })
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  for option, value in pairs({ buftype = 'nofile', modifiable = false, modified = false, filetype = 'markdown' }) do
    vim.api.nvim_buf_set_option(buffer, option, value)
  end
end

return M
