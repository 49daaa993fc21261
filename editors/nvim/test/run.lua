-- Drives the plugin in a real Neovim against the real server. Started by tests/editors.rs:
--   HIPSHIFT_BIN=… nvim --headless -u NONE -i NONE -c 'luafile editors/nvim/test/run.lua'
-- in a folder that has the files of fixtures/lint. Leaves with 1 at the first failure.
local plugin = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')
vim.opt.runtimepath:prepend(plugin)
vim.cmd('filetype plugin on | syntax on')
vim.cmd('runtime! plugin/hipshift.lua')
vim.cmd('source ' .. plugin .. '/ftdetect/hipshift.vim')
vim.opt.swapfile = false
vim.opt.hidden = true

local binary = assert(os.getenv('HIPSHIFT_BIN'), 'HIPSHIFT_BIN names no server')
local passed = 0

local function check(what, is_so, detail)
  if not is_so then
    error(what .. (detail and (':\n' .. (type(detail) == 'string' and detail or vim.inspect(detail))) or ''), 2)
  end
  passed = passed + 1
end

local function wait(what, condition)
  check('waited in vain for ' .. what, vim.wait(20000, condition, 10), vim.fn.execute('messages'))
end

local function text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false), '\n')
end

--- Lint's own words about a text, in the order of the server.
local function lint(arguments)
  local output = vim.fn.system(vim.list_extend({ binary }, arguments))
  return vim.fn.json_decode(output)
end

--- What `hipshift convert` makes of a text.
local function converted(content)
  return vim.fn.system(vim.fn.shellescape(binary) .. ' convert - 2>/dev/null', content)
end

--- Opens a fresh copy of a text under a name, and waits until it is served.
local function open(name, content)
  vim.fn.writefile(vim.split(content, '\n', { plain = true }), name, 'b')
  vim.cmd('edit! ' .. name)
  local buffer = vim.api.nvim_get_current_buf()
  wait('a server for ' .. name, function()
    return #vim.lsp.buf_get_clients(buffer) > 0
  end)
  return buffer
end

local function code_of(finding)
  return finding.code or finding.user_data.lsp.code
end

local function codes(buffer)
  return vim.tbl_map(code_of, vim.diagnostic.get(buffer))
end

local original = table.concat(vim.fn.readfile('port.cu', 'b'), '\n')
local tests = {}

function tests.filetypes()
  for name, expected in pairs({ ['a.cu'] = 'cuda', ['a.cuh'] = 'cuda', ['a.hip'] = 'hip', ['a.hip.cpp'] = 'hip' }) do
    vim.cmd('edit ' .. name)
    check('type of ' .. name, vim.bo.filetype == expected, vim.bo.filetype)
  end
  vim.cmd('edit a.hip')
  check('words of CUDA are highlighted', vim.b.current_syntax == 'hip' and vim.fn.hlexists('cudaStorageClass') == 1)
  vim.cmd('%bwipeout!')
end

function tests.findings_are_those_of_lint()
  local buffer = open('port.cu', original)
  wait('findings', function() return #vim.diagnostic.get(buffer) > 0 end)
  local shown = {}
  for _, finding in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(shown, ('%d:%s'):format(finding.lnum + 1, code_of(finding)))
  end
  local expected = {}
  for _, file in ipairs(lint({ 'lint', '.', '--format', 'json' }).files) do
    for _, finding in ipairs(file.path == 'port.cu' and file.findings or {}) do
      table.insert(expected, ('%d:%s'):format(finding.start.line, finding.code))
    end
  end
  table.sort(shown)
  table.sort(expected)
  check('lint finds something', #expected > 0)
  check('findings differ from those of lint', vim.deep_equal(shown, expected), { shown = shown, expected = expected })
end

--- Applies the action of a title that is offered for a word.
local function apply(buffer, word, title)
  local line = vim.fn.search(word)
  local column = vim.fn.getline(line):find(word, 1, true) - 1
  local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, context = { diagnostics = {} } }
  params.range = {
    start = { line = line - 1, character = column },
    ['end'] = { line = line - 1, character = column + 1 },
  }
  local titles, wanted = {}, nil
  for _, answer in pairs(vim.lsp.buf_request_sync(buffer, 'textDocument/codeAction', params, 20000) or {}) do
    for _, action in ipairs(answer.result or {}) do
      table.insert(titles, action.title)
      wanted = action.title == title and action or wanted
    end
  end
  check('no action `' .. title .. '`', wanted, titles)
  vim.lsp.util.apply_workspace_edit(wanted.edit, 'utf-16')
end

function tests.code_actions_change_the_buffer_and_not_the_file()
  local buffer = open('port.cu', original)
  apply(buffer, 'cudaFrobnicate', 'Suppress A005 with a reason')
  local line = 'cudaFrobnicate(stream); // <ours> & "theirs"'
  local at = original:find(line, 1, true) + #line - 1
  local expected = original:sub(1, at) .. ' // hipshift: ignore[A005] reason' .. original:sub(at + 1)
  check('the buffer after the action', text(buffer) .. '\n' == expected, text(buffer))
  wait('the finding to go', function()
    return not vim.tbl_contains(codes(buffer), 'A005')
  end)
  check('nothing was written', table.concat(vim.fn.readfile('port.cu', 'b'), '\n') == original)

  local crept_in = table.concat(vim.fn.readfile('converted.hip', 'b'), '\n')
  buffer = open('converted.hip', crept_in)
  apply(buffer, 'cudaFree', 'Rename to `hipFree`')
  expected = crept_in:gsub('cudaFree', 'hipFree', 1)
  check('the buffer after the quick fix', text(buffer) .. '\n' == expected, text(buffer))
end

function tests.fix_all_does_what_lint_does()
  local buffer = open('port.cu', original)
  vim.cmd('HipshiftFixAll')
  wait('the fixes', function() return text(buffer) .. '\n' ~= original end)
  vim.fn.mkdir('fixed', 'p')
  vim.fn.writefile(vim.split(original, '\n', { plain = true }), 'fixed/port.cu', 'b')
  vim.fn.system({ binary, 'lint', '--fix', 'fixed/port.cu' })
  local expected = table.concat(vim.fn.readfile('fixed/port.cu', 'b'), '\n')
  vim.fn.delete('fixed', 'rf')
  check('lint fixes something', expected ~= original)
  check('the buffer after all fixes', text(buffer) .. '\n' == expected, text(buffer))
end

function tests.a_selection_is_converted()
  local buffer = open('port.cu', original)
  local line = vim.fn.search('cudaStreamSynchronize')
  vim.cmd(line .. 'HipshiftConvert')
  wait('the conversion', function() return text(buffer):find('hipStreamSynchronize', 1, true) end)
  check('other lines stay', text(buffer):find('cudaStream_t', 1, true), text(buffer))
end

function tests.the_preview_follows_edits()
  local buffer = open('port.cu', original)
  local preview = require('hipshift.preview')
  vim.cmd('HipshiftPreview')
  wait('the preview', function() return preview.buffer_of(buffer) end)
  local beside = preview.buffer_of(buffer)
  local expected = converted(original)
  check('the preview is what convert writes', text(beside) .. '\n' == expected, {
    preview = text(beside), expected = expected,
  })
  check('the preview is HIP', vim.api.nvim_buf_get_option(beside, 'filetype') == 'hip')
  check('two windows', #vim.api.nvim_list_wins() == 2)
  check('no server for the preview', #vim.lsp.buf_get_clients(beside) == 0)
  local last = vim.api.nvim_buf_line_count(buffer)
  vim.api.nvim_buf_set_lines(buffer, last, last, false, { 'void g(void* p) { cudaFree(p); }' })
  wait('the edit in the preview', function() return text(beside):find('hipFree(p)', 1, true) end)
  vim.cmd('HipshiftPreview')
  check('the preview is closed', #vim.api.nvim_list_wins() == 1 and not preview.buffer_of(buffer))
end

function tests.rules_are_explained()
  local buffer = open('port.cu', original)
  wait('findings', function() return #vim.diagnostic.get(buffer) > 0 end)
  vim.fn.cursor(vim.fn.search('cudaFrobnicate'), 6)
  vim.cmd('HipshiftExplain')
  check('the page of the finding', vim.api.nvim_buf_get_name(0):find('A005', 1, true) and text():find('unknown-name', 1, true), text())
  check('a page is read only', vim.bo.buftype == 'nofile' and not vim.bo.modifiable and vim.bo.filetype == 'markdown')
  vim.cmd('bwipeout!')
  vim.cmd('HipshiftExplain W004')
  check('the page of W004', text():find('W004', 1, true) and not text():find('no such', 1, true), text())
  vim.cmd('bwipeout!')
  vim.api.nvim_set_current_buf(vim.uri_to_bufnr('hipshift:/rules/W004.md'))
  check('the address that the server sends', text():find('W004', 1, true), { text(), vim.api.nvim_buf_get_name(0) })
  vim.cmd('bwipeout!')
  vim.lsp.commands['hipshift.openRule']({ arguments = { { code = 'A005' } } })
  check('the action opens the page', text():find('unknown-name', 1, true), text())
  vim.cmd('bwipeout!')
  vim.cmd('HipshiftExplain Q999')
  check('no page of a rule that does not exist', text():find('hipshift: ', 1, true) == 1, text())
  vim.cmd('bwipeout!')
end

function tests.convert_renames_the_file_and_counterparts_are_found()
  local buffer = open('port.cu', original)
  local expected = converted(original)
  vim.cmd('HipshiftConvert')
  wait('the new name', function() return vim.fn.expand('%:t') == 'port.hip' end)
  check('the buffer is what convert writes', text() .. '\n' == expected, { text(), expected })
  check('the old name is gone', vim.fn.filereadable('port.cu') == 0)
  vim.cmd('write!')
  vim.fn.writefile(vim.split(original, '\n', { plain = true }), 'port.cu', 'b')
  vim.cmd('edit! port.cu')
  wait('a server', function() return #vim.lsp.buf_get_clients(0) > 0 end)
  vim.fn.search('cudaStreamSynchronize')
  vim.cmd('HipshiftCounterpart')
  wait('the counterpart', function() return vim.fn.expand('%:t') == 'port.hip' end)
  check('the same place', vim.fn.getline('.'):find('hipStreamSynchronize', 1, true), vim.fn.getline('.'))
  vim.cmd('%bwipeout!')
  vim.fn.delete('port.hip')
end

function tests.unknown_options_are_refused()
  local is_taken, message = pcall(require('hipshift').setup, { commmand = { 'x' } })
  check('a wrong option', not is_taken and message:find('commmand', 1, true), message)
end

function tests.the_entry_for_newer_releases_has_the_same_values()
  local entry = dofile(plugin .. '/lsp/hipshift.lua')
  check('the command', vim.deep_equal(entry.cmd, { binary, 'lsp' }), entry.cmd)
  check('the types', vim.deep_equal(entry.filetypes, { 'cuda', 'hip' }), entry.filetypes)
  check('the language', entry.get_language_id(0, 'cuda') == 'cuda-cpp' and entry.get_language_id(0, 'hip') == 'hip')
end

local function main()
  tests.unknown_options_are_refused()
  tests.filetypes()
  require('hipshift').setup({ cmd = { binary, 'lsp' }, settings = { ext = 'hip' } })
  for _, name in ipairs({
    'findings_are_those_of_lint',
    'code_actions_change_the_buffer_and_not_the_file',
    'fix_all_does_what_lint_does',
    'a_selection_is_converted',
    'the_preview_follows_edits',
    'rules_are_explained',
    'the_entry_for_newer_releases_has_the_same_values',
    'convert_renames_the_file_and_counterparts_are_found',
  }) do
    vim.cmd('silent! %bwipeout!')
    tests[name]()
    io.stdout:write('ok ' .. name .. '\n')
  end
end

local is_well, message = xpcall(main, debug.traceback)
io.stdout:write(is_well and ('passed: ' .. passed .. ' checks\n') or ('failed: ' .. tostring(message) .. '\n'))
vim.cmd(is_well and 'qall!' or 'cquit')
