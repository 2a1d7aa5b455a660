-- For pandoc, on one page: links between pages go to the HTML ones, links to other files of the sources become plain
-- text, and what a reader may search for is added to the index. Given by build.sh: TUNER_PAGE, TUNER_PAGES, TUNER_INDEX.
local page = os.getenv("TUNER_PAGE")
local is_page = {}
for name in os.getenv("TUNER_PAGES"):gmatch("[^\n]+") do is_page[name] = true end

local function html_of(name)
  return name == "README.md" and "index.html" or (name:gsub("%.md$", ".html"))
end

-- The file that `path`, as this page says it, is in the sources: without `.` and `..`.
local function resolved(path)
  local parts = {}
  for part in ((page:match("^(.*/)") or "") .. path):gmatch("[^/]+") do
    if part == ".." then
      table.remove(parts)
    elseif part ~= "." then
      table.insert(parts, part)
    end
  end
  return table.concat(parts, "/")
end

function Link(link)
  if link.target:match("^%a[%w+.-]*:") or link.target:match("^#") then return nil end
  local path, anchor = link.target:match("^([^#]*)(.*)$")
  if not is_page[resolved(path)] then return link.content end
  link.target = path:gsub("[^/]+$", html_of(path:match("[^/]+$"))) .. anchor
  return link
end

local function json_text(text)
  text = text:gsub("%s+", " "):gsub("%-%-%-+", ""):gsub("[%c\\\"]", function(c) return ("\\u%04x"):format(c:byte()) end)
  return '"' .. text .. '"'
end

-- What stands below each heading, until the next.
function Pandoc(document)
  local index = assert(io.open(os.getenv("TUNER_INDEX"), "a"))
  local heading, blocks = nil, {}
  local function finish()
    if not heading then return end
    local text = pandoc.write(pandoc.Pandoc(blocks), "plain")
    index:write("[" .. json_text(html_of(page)) .. ", " .. json_text(heading.identifier) .. ", " ..
                json_text(pandoc.utils.stringify(heading)) .. ", " .. json_text(text) .. "],\n")
  end
  for _, block in ipairs(document.blocks) do
    if block.t == "Header" then
      finish()
      heading, blocks = block, {}
    else
      table.insert(blocks, block)
    end
  end
  finish()
  index:close()
end
