--- Commands, and what the server asks of the editor. The modules are loaded when they are needed.
if vim.g.loaded_hipshift then
  return
end
vim.g.loaded_hipshift = true

local function call(name)
  return function(arguments) require('hipshift.commands')[name](arguments) end
end

local command = vim.api.nvim_create_user_command
command('HipshiftConvert', call('convert'), { bang = true, range = true, desc = 'Convert the file, the range or, with !, the workspace to HIP' })
command('HipshiftPreview', call('preview'), { desc = 'Show the converted form beside the buffer, or close it' })
command('HipshiftExplain', call('explain'), { nargs = '?', desc = 'Open the page of a rule' })
command('HipshiftFixAll', call('fix_all'), { desc = 'Make all safe fixes in the file' })
command('HipshiftCounterpart', call('counterpart'), { desc = 'Go to the file that a conversion wrote, or back' })

vim.lsp.handlers['hipshift/convertedChanged'] = function(_, params)
  require('hipshift.preview').changed(params.uri)
end

-- Actions that open a page carry this command; the editor opens it, no matter whether it can be asked to.
vim.lsp.commands['hipshift.openRule'] = function(action)
  require('hipshift.pages').open(action.arguments[1].code)
end

vim.api.nvim_create_autocmd('BufReadCmd', {
  group = vim.api.nvim_create_augroup('hipshift-pages', { clear = true }),
  pattern = { 'hipshift:/*', '*/hipshift:/*' },
  callback = function(event) require('hipshift.pages').read(event.buf, event.match) end,
})
